import { beforeAll, describe, expect, it } from '@jest/globals';
import { useDatabase } from '../support/database.js';

// One connection, so that every statement comes to where it was prepared.
const db = useDatabase({ poolSize: 1 });

beforeAll(async () => {
  await db.database.manager.query('CREATE TABLE grown (id integer)');
  await db.database.manager.query('INSERT INTO grown VALUES (1)');
});

const prepared = async (): Promise<string[]> => {
  const rows: { statement: string }[] = await db.database.manager.query(
    'SELECT statement FROM pg_prepared_statements ORDER BY statement',
  );
  return rows.map(({ statement }) => statement);
};

describe('statements with parameters', () => {
  it('are prepared once, those without are not', async () => {
    const text = 'SELECT id FROM grown WHERE id = $1';
    await db.database.manager.query('SELECT id FROM grown');
    for (const id of [1, 2, 1]) {
      expect(await db.database.manager.query(text, [id])).toEqual(id === 1 ? [{ id: 1 }] : []);
    }
    expect((await prepared()).filter((statement) => statement.includes('FROM grown'))).toEqual([text]);
  });

  it('are prepared anew when a migration has changed what they answer, by themselves and in a transaction', async () => {
    const read = 'SELECT * FROM grown WHERE id = $1';
    const { database } = db;
    for (const [column, run] of [
      ['a', (): Promise<object[]> => database.manager.query(read, [1])],
      ['b', (): Promise<object[]> => database.transaction((tx) => tx.query(read, [1]))],
    ] as const) {
      const [before] = await run();
      await database.manager.query(`ALTER TABLE grown ADD COLUMN ${column} integer`);
      expect(await run()).toEqual([{ ...before, [column]: null }]);
    }
  });

  it('fail as they are when they are wrong, and leave the connection usable', async () => {
    const { manager } = db.database;
    for (let round = 0; round < 2; round += 1) {
      await expect(manager.query('SELECT nothing FROM grown WHERE id = $1', [1])).rejects.toThrow('column "nothing"');
      expect(await manager.query('SELECT id FROM grown WHERE id = $1', [1])).toEqual([{ id: 1 }]);
    }
  });
});
