import { beforeAll, describe, expect, it } from '@jest/globals';
import { QueryFailedError } from 'typeorm';
import { poolOf } from '../../src/database/data-source.js';
import { sharedRead } from '../../src/database/shared-reads.js';
import { untilBlocked } from '../support/blocked.js';
import { useDatabase } from '../support/database.js';

const db = useDatabase({ poolSize: 4 });

const BACKEND = 'SELECT pg_backend_pid() AS backend, $1::integer AS place';

const read = async (place: number): Promise<{ backend: number; place: number } | undefined> => {
  const [row] = await sharedRead<{ backend: number; place: number }[]>(db.database.manager, BACKEND, [place]);
  return row;
};

const together = async (count: number): Promise<{ backends: number; places: (number | undefined)[] }> => {
  const rows = await Promise.all(Array.from({ length: count }, (_, place) => read(place)));
  return { backends: new Set(rows.map((row) => row?.backend)).size, places: rows.map((row) => row?.place) };
};

beforeAll(async () => {
  await db.database.manager.query('CREATE TABLE shared_rows (id integer)');
});

describe('shared reads', () => {
  it('are distributed over two connections, and each read returns its own rows', async () => {
    const { backends, places } = await together(32);
    expect(places).toEqual(Array.from({ length: 32 }, (_, place) => place));
    expect(backends).toBe(2);
  });

  it('are limited to two connections and leave the rest of the pool free', async () => {
    await together(100);
    const { totalCount, idleCount, waitingCount } = poolOf(db.database.source);
    expect({ busy: totalCount - idleCount, waitingCount }).toEqual({ busy: 2, waitingCount: 0 });
  });

  it('are not delayed by a slow read on the other connection', async () => {
    const { manager } = db.database;
    const answered: string[] = [];
    const slow = sharedRead(manager, 'SELECT pg_sleep($1)', [0.3]).then(() => answered.push('slow'));
    await read(1).then(() => answered.push('next'));
    await slow;
    expect(answered).toEqual(['next', 'slow']);
  });

  it('are rejected independently of each other', async () => {
    const { manager } = db.database;
    const wrong = (): Promise<unknown> => sharedRead(manager, 'SELECT 1 / ($1::integer - 1) AS no', [1]);
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

  it('see uncommitted writes only within the same transaction', async () => {
    const { database } = db;
    const rows = 'SELECT id FROM shared_rows WHERE id = $1';
    await database.transaction(async (tx) => {
      await tx.query('INSERT INTO shared_rows (id) VALUES ($1)', [7]);
      expect(await sharedRead(tx, rows, [7])).toEqual([{ id: 7 }]);
      expect(await sharedRead(database.manager, rows, [7])).toEqual([]);
    });
    expect(await sharedRead(database.manager, rows, [7])).toEqual([{ id: 7 }]);
  });

  it('see everything that was committed before they were requested', async () => {
    const { manager } = db.database;
    for (let id = 100; id < 150; id += 1) {
      const [, [seen]] = await Promise.all([
        read(id),
        manager
          .query('INSERT INTO shared_rows (id) VALUES ($1)', [id])
          .then(() => sharedRead<{ id: number }[]>(manager, 'SELECT id FROM shared_rows WHERE id = $1', [id])),
      ]);
      expect(seen?.id).toBe(id);
    }
  });

  it('are retried on another connection after their connection is terminated', async () => {
    const { manager } = db.database;
    const backends = await Promise.all([read(1), read(2)]);
    const others = Promise.all(Array.from({ length: 8 }, (_, place) => read(place)));
    await manager.query('SELECT pg_terminate_backend(backend) FROM unnest($1::integer[]) backend', [
      backends.map((row) => row?.backend),
    ]);
    expect((await others).map((row) => row?.place)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect((await together(8)).places).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('are retried if the server terminates their connection while they run', async () => {
    const { database } = db;
    const { manager } = database;
    const BEHIND_LOCK = 'SELECT id FROM shared_rows WHERE id = $1 FOR UPDATE';
    const ENDED = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query = $1`;
    await manager.query('INSERT INTO shared_rows (id) VALUES ($1)', [8]);
    let cut: Promise<unknown> = Promise.resolve();
    await database.transaction(async (tx) => {
      await tx.query(BEHIND_LOCK, [8]);
      cut = sharedRead(manager, BEHIND_LOCK, [8]);
      await untilBlocked((text, values) => manager.query(text, values), { about: BEHIND_LOCK });
      await manager.query(ENDED, [BEHIND_LOCK]);
    });
    expect(await cut).toEqual([{ id: 8 }]);
    expect((await together(8)).places).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('are rejected without affecting other reads if they terminate their own connection', async () => {
    const { manager } = db.database;
    const cut = sharedRead(manager, 'SELECT pg_terminate_backend(pg_backend_pid()), $1::integer', [1]);
    const results = await Promise.allSettled([cut, read(1), read(2), read(3)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
    await expect(cut).rejects.toThrow('terminating connection due to administrator command');
  });
});
