import { beforeAll, describe, expect, it } from '@jest/globals';
import { QueryFailedError } from 'typeorm';
import { poolOf } from '../../src/database/data-source.js';
import { shortRead } from '../../src/database/short-read.js';
import { useDatabase } from '../support/database.js';

const db = useDatabase({ poolSize: 4 });

const BACKEND = 'SELECT pg_backend_pid() AS backend, $1::integer AS place';

const read = async (place: number): Promise<{ backend: number; place: number } | undefined> => {
  const [row] = await shortRead<{ backend: number; place: number }[]>(db.database.manager, BACKEND, [place]);
  return row;
};

const together = async (count: number): Promise<{ backends: number; places: (number | undefined)[] }> => {
  const rows = await Promise.all(Array.from({ length: count }, (_, place) => read(place)));
  return { backends: new Set(rows.map((row) => row?.backend)).size, places: rows.map((row) => row?.place) };
};

beforeAll(async () => {
  await db.database.manager.query('CREATE TABLE read_shortly (id integer)');
});

describe('short reads', () => {
  it('share a connection when they are asked for at once, and each has its own rows', async () => {
    expect(await together(8)).toEqual({ backends: 1, places: [0, 1, 2, 3, 4, 5, 6, 7] });
  });

  it('take another connection when there are many, so that none waits for all', async () => {
    const { backends, places } = await together(32);
    expect(places).toEqual(Array.from({ length: 32 }, (_, place) => place));
    expect(backends).toBe(4);
  });

  it('give their connections back', async () => {
    await together(100);
    const { totalCount, idleCount, waitingCount } = poolOf(db.database.source);
    expect({ busy: totalCount - idleCount, waitingCount }).toEqual({ busy: 0, waitingCount: 0 });
  });

  it('do not wait for those that are asked for later, however long these take', async () => {
    const { manager } = db.database;
    const answered: string[] = [];
    const first = read(1).then(() => answered.push('first'));
    const slow = shortRead(manager, 'SELECT pg_sleep($1)', [0.3]).then(() => answered.push('slow'));
    await first;
    const next = read(2).then(() => answered.push('next'));
    await Promise.all([slow, next]);
    expect(answered).toEqual(['first', 'next', 'slow']);
  });

  it('fail by themselves', async () => {
    const { manager } = db.database;
    const wrong = (): Promise<unknown> => shortRead(manager, 'SELECT 1 / ($1::integer - 1) AS no', [1]);
    const results = await Promise.allSettled([read(1), wrong(), read(2), wrong(), read(3)]);
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    await expect(wrong()).rejects.toThrow(QueryFailedError);
    await expect(wrong()).rejects.toThrow('division by zero');
  });

  it('see what their transaction has written, and nobody else does', async () => {
    const { database } = db;
    const rows = 'SELECT id FROM read_shortly WHERE id = $1';
    await database.transaction(async (tx) => {
      await tx.query('INSERT INTO read_shortly (id) VALUES ($1)', [7]);
      expect(await shortRead(tx, rows, [7])).toEqual([{ id: 7 }]);
      expect(await shortRead(database.manager, rows, [7])).toEqual([]);
    });
    expect(await shortRead(database.manager, rows, [7])).toEqual([{ id: 7 }]);
  });

  it('see what was committed before they were asked for', async () => {
    const { manager } = db.database;
    for (let id = 100; id < 150; id += 1) {
      const [, [seen]] = await Promise.all([
        read(id),
        manager
          .query('INSERT INTO read_shortly (id) VALUES ($1)', [id])
          .then(() => shortRead<{ id: number }[]>(manager, 'SELECT id FROM read_shortly WHERE id = $1', [id])),
      ]);
      expect(seen?.id).toBe(id);
    }
  });

  it('fail together when their connection is cut, and go on with another', async () => {
    const { manager } = db.database;
    const cut = shortRead(manager, 'SELECT pg_terminate_backend(pg_backend_pid()), $1::integer', [1]);
    const results = await Promise.allSettled([cut, read(1), read(2)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await together(8)).toMatchObject({ backends: 1 });
  });
});
