import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createDataSource } from '../../src/database/data-source.js';
import { pipelined, type Tx } from '../../src/database/database.service.js';
import { useDatabase } from '../support/database.js';

// Uses a single connection, so that every statement runs where it was prepared.
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
  it('are prepared once, unlike statements without parameters', async () => {
    const text = 'SELECT id FROM grown WHERE id = $1';
    await db.database.manager.query('SELECT id FROM grown');
    for (const id of [1, 2, 1]) {
      expect(await db.database.manager.query(text, [id])).toEqual(id === 1 ? [{ id: 1 }] : []);
    }
    expect((await prepared()).filter((statement) => statement.includes('FROM grown'))).toEqual([text]);
  });

  it('are prepared again after a migration has changed their result columns, both outside and inside a transaction', async () => {
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

  it('are rejected with the database error if they are invalid, without breaking the connection', async () => {
    const { manager } = db.database;
    for (let round = 0; round < 2; round += 1) {
      await expect(manager.query('SELECT nothing FROM grown WHERE id = $1', [1])).rejects.toThrow('column "nothing"');
      expect(await manager.query('SELECT id FROM grown WHERE id = $1', [1])).toEqual([{ id: 1 }]);
    }
  });
});

describe('a pipeline of statements', () => {
  const insert = 'INSERT INTO grown (id) VALUES ($1)';
  const count = async (id: number): Promise<number> => {
    const [found]: { count: number }[] = await db.database.manager.query(
      'SELECT count(*) AS count FROM grown WHERE id = $1',
      [id],
    );
    return found?.count ?? 0;
  };

  it('runs in order in a single transaction and returns the result of each statement', async () => {
    const results = await db.database.transaction((tx) =>
      pipelined(
        tx.query(insert, [10]),
        tx.query('SELECT id FROM grown WHERE id = $1', [10]),
        false,
        tx.query('DELETE FROM grown WHERE id = $1 RETURNING id', [10]),
        tx.query('SELECT id FROM grown WHERE id = $1', [10]),
        tx.query('SELECT pg_current_xact_id_if_assigned() IS NOT NULL AS writes'),
      ),
    );
    expect(results).toEqual([[], [{ id: 10 }], false, [[{ id: 10 }], 1], [], [{ writes: true }]]);
  });

  it('is rejected with the first error after all statements have ended, and is rolled back', async () => {
    const { database } = db;
    let isOver = false;
    await expect(
      database.transaction((tx) =>
        pipelined(
          tx.query(insert, [20]),
          tx.query('SELECT 1 / $1::integer', [0]),
          tx.query(insert, ['no number']),
          tx.query('SELECT pg_sleep($1)', [0.05]).finally(() => (isOver = true)),
        ),
      ),
    ).rejects.toThrow('division by zero');
    expect(isOver).toBe(true);
    expect(await count(20)).toBe(0);
  });

  it('is rolled back if a value cannot be serialized, and leaves the connection usable', async () => {
    const { database } = db;
    const circular: { self?: object } = {};
    circular.self = circular;
    const sent = (tx: Tx): Promise<unknown>[] => [[40], [circular], [41]].map((values) => tx.query(insert, values));
    await expect(database.transaction((tx) => pipelined(...sent(tx)))).rejects.toThrow('circular');
    await expect(database.transaction((tx) => Promise.allSettled(sent(tx)))).rejects.toThrow('Nothing was stored');
    expect(await Promise.all([40, 41].map(count))).toEqual([0, 0]);
  });

  it('keeps a statement usable after one of its values could not be serialized, even if an earlier statement failed', async () => {
    const { database } = db;
    const circular: { self?: object } = {};
    circular.self = circular;
    const alone = 'SELECT $1::jsonb AS alone';
    await expect(database.manager.query(alone, [circular])).rejects.toThrow('circular');
    const behind = 'SELECT $1::jsonb AS behind';
    await expect(
      database.transaction((tx) => pipelined(tx.query('SELECT 1 / $1::integer', [0]), tx.query(behind, [circular]))),
    ).rejects.toThrow('division by zero');
    for (const text of [alone, behind, alone, behind])
      expect(await database.manager.query(text, [{}])).toEqual([{ [text.slice(-6).trim()]: {} }]);
  });

  it('rejects identical invalid statements with the same error', async () => {
    const text = 'SELECT id FROM not_there WHERE id = $1';
    const settled = await db.database.together((reads) =>
      Promise.allSettled([
        ...[1, 2, 3].map((id) => reads.query(text, [id])),
        reads.query('SELECT $1::integer AS id', [4]),
      ]),
    );
    const reason: unknown = expect.objectContaining({ message: 'relation "not_there" does not exist' });
    expect(settled).toEqual([
      { status: 'rejected', reason },
      { status: 'rejected', reason },
      { status: 'rejected', reason },
      { status: 'fulfilled', value: [{ id: 4 }] },
    ]);
  });

  it('is prepared and run again if a migration has changed the result columns of one of its statements', async () => {
    const read = 'SELECT * FROM grown WHERE id = $1';
    const { database } = db;
    const run = () =>
      database.transaction((tx) => pipelined(tx.query<[]>(insert, [30]), tx.query<object[]>(read, [1])));
    const [, [before]] = await run();
    await database.manager.query('ALTER TABLE grown ADD COLUMN c integer');
    const [, [after]] = await run();
    expect(after).toEqual({ ...before, c: null });
    expect(await count(30)).toBe(2);
  });
});

describe('work before the commit', () => {
  it('runs last, and rolls back the whole transaction if it fails', async () => {
    const { database } = db;
    await database.manager.query('CREATE TABLE noted (id serial, what text CHECK (length(what) < 10))');
    const write = async (end: string): Promise<void> => {
      let isTold = false;
      const insert = 'INSERT INTO noted (what) VALUES ($1)';
      const done = database.transaction(async (tx) => {
        database.beforeCommit(tx, async () => void (await tx.query(insert, [end])));
        database.afterCommit(tx, () => (isTold = true));
        await tx.query(insert, [`before ${end}`.slice(0, 9)]);
      });
      await done.finally(() => expect(isTold).toBe(end.length < 10));
    };
    for (let round = 0; round < 2; round += 1) {
      await write('end');
      await expect(write('end that is too long')).rejects.toThrow('noted_what_check');
    }
    const rows = await database.manager.query<{ what: string }[]>('SELECT what FROM noted ORDER BY id');
    expect(rows.map(({ what }) => what)).toEqual(['before en', 'end', 'before en', 'end']);
    const outside = database.manager;
    expect(() => database.afterCommit(outside, () => undefined)).toThrow('transaction');
  });
});

describe('a transaction', () => {
  it('leaves the connection usable if it is empty or fails before its first statement', async () => {
    const { database } = db;
    await database.transaction(() => Promise.resolve());
    await expect(database.transaction(() => Promise.reject(new Error('Not today')))).rejects.toThrow('Not today');
    expect(
      await database.manager.query('SELECT pg_current_xact_id_if_assigned() AS id, $1::integer AS one', [1]),
    ).toEqual([{ id: null, one: 1 }]);
  });

  it('is rolled back even if a failing statement is not awaited', async () => {
    const { database } = db;
    const failing = database.transaction(async (tx) => {
      await tx.query('INSERT INTO grown (id) VALUES ($1)', [70]);
      tx.query('SELECT 1 / $1::integer', [0]).catch(() => undefined);
      throw new Error('Not today');
    });
    await expect(failing).rejects.toThrow('Not today');
    expect(await database.manager.query('SELECT id FROM grown WHERE id = $1', [70])).toEqual([]);
    await database.transaction((tx) => tx.query('SELECT $1::integer', [1]));
  });

  it('fails if one of its statements has failed, even if the error was caught', async () => {
    const { database } = db;
    const failing = database.transaction(async (tx) => {
      await tx.query('INSERT INTO grown (id) VALUES ($1)', [80]);
      await tx.query('SELECT 1 / $1::integer', [0]).catch(() => undefined);
    });
    await expect(failing).rejects.toThrow('Nothing was stored');
    expect(await database.manager.query('SELECT id FROM grown WHERE id = $1', [80])).toEqual([]);
  });

  it.each<[string, (tx: Tx, run: number) => Promise<unknown>]>([
    ['a statement with parameters', (tx, run) => tx.query('SELECT fail_first($1)', [run])],
    ['a statement without parameters', (tx, run) => tx.query(`SELECT fail_first(${run})`)],
  ])('runs again if it ends with %s that fails with a deadlock', async (_, last) => {
    const { database } = db;
    await database.manager.query(
      `CREATE OR REPLACE FUNCTION fail_first(run integer) RETURNS void LANGUAGE plpgsql AS $$
         BEGIN IF run = 1 THEN RAISE EXCEPTION 'Not now' USING ERRCODE = '40P01'; END IF; END $$`,
    );
    let runs = 0;
    await database.transaction(async (tx) => {
      runs += 1;
      database.beforeCommit(tx, async () => void (await last(tx, runs)));
      await tx.query('INSERT INTO grown (id) VALUES ($1)', [90]);
    });
    expect(runs).toBe(2);
    const rows = await database.manager.query<{ id: number }[]>('DELETE FROM grown WHERE id = $1 RETURNING id', [90]);
    expect(rows).toEqual([[{ id: 90 }], 1]);
  });

  it('begins before its first statement and has the expected isolation level', async () => {
    const { database } = db;
    const level = `SELECT current_setting('transaction_isolation') AS level, now() = statement_timestamp() AS is_first`;
    expect(await database.transaction((tx) => tx.query(level))).toEqual([{ level: 'read committed', is_first: false }]);
    expect(await database.snapshot((tx) => tx.query(level))).toEqual([{ level: 'repeatable read', is_first: false }]);
    expect(await database.manager.query(level)).toEqual([{ level: 'read committed', is_first: true }]);
  });
});

describe('an error while reading a server response', () => {
  it('causes the transaction to fail but does not affect later statements', async () => {
    const { database } = db;
    const failing = database.transaction(async (tx) => {
      const { connection } = (await tx.queryRunner?.connect()) as { connection: { stream: Socket } };
      // This simulates an error such as a value that is too large for a string.
      connection.stream.prependOnceListener('data', () => {
        throw new RangeError('planted');
      });
      await tx.query('SELECT 1');
    });
    await expect(failing).rejects.toThrow('planted');
    expect(await database.manager.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});

describe('a lost connection', () => {
  const insert = 'INSERT INTO grown (id) VALUES ($1)';
  const end = 'SELECT pg_terminate_backend(pg_backend_pid()), $1::text';

  it.each<[string, (tx: Tx) => Promise<unknown>]>([
    ['during the last statement of a pipeline', (tx) => pipelined(tx.query(insert, [50]), tx.query(end, ['']))],
    [
      'before other statements of a pipeline',
      (tx) => pipelined(tx.query(insert, [50]), tx.query(end, ['']), tx.query(insert, [50]), tx.query(insert, [50])),
    ],
    ['during the first statement', (tx) => tx.query(end, [''])],
  ])('rolls back the transaction and is replaced by a working connection if it ends %s', async (_, work) => {
    const { database } = db;
    await expect(database.transaction(work)).rejects.toThrow(/terminat|EPIPE/);
    const stored = database.manager.query('SELECT id FROM grown WHERE id = $1', [50]);
    expect(await stored).toEqual([]);
    await database.transaction(async (tx) => {
      expect(await tx.query('SELECT $1::integer AS one', [1])).toEqual([{ one: 1 }]);
    });
  });

  it('rolls back the transaction even if the connection is lost between two statements', async () => {
    const { database } = db;
    const other = new pg.Client(db.url);
    await other.connect();
    try {
      const failing = database.transaction(async (tx) => {
        const [{ pid }] = await tx.query<[{ pid: number }]>('SELECT pg_backend_pid() AS pid, $1::text', ['']);
        await other.query('SELECT pg_terminate_backend($1, 5000)', [pid]);
        await tx.query(insert, [60]);
      });
      await expect(failing).rejects.toThrow(/terminat|already released/);
    } finally {
      await other.end();
    }
    expect(await database.manager.query('SELECT id FROM grown WHERE id = $1', [60])).toEqual([]);
  });

  it('affects only one query if it ends during the sign-in', async () => {
    const { hostname, port } = new URL(db.url);
    // A backend sends this message if its server is killed while the backend accepts the connection.
    const fields = ['SFATAL', 'VFATAL', 'C57P01', 'Mterminating connection due to unexpected postmaster exit', ''];
    const body = Buffer.from(`${fields.join('\0')}\0`);
    const fatal = Buffer.concat([Buffer.from('E'), Buffer.alloc(4), body]);
    fatal.writeInt32BE(body.length + 4, 1);
    let connections = 0;
    const proxy = createServer((near) => {
      connections += 1;
      const isEnding = connections === 2;
      const far = connect(Number(port), hostname);
      near.on('error', () => far.destroy()).pipe(far);
      far.on('error', () => near.destroy());
      far.on('data', (bytes) => {
        const isReady = bytes.toString('latin1').endsWith('Z\0\0\0\x05I');
        if (isEnding && isReady) near.end(Buffer.concat([bytes, fatal]));
        else near.write(bytes);
      });
    });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    const url = new URL(db.url);
    url.hostname = '127.0.0.1';
    url.port = String((proxy.address() as AddressInfo).port);
    const source = await createDataSource(url.href, 5).initialize();
    try {
      const works = [1, 2, 3].map((n) => source.query('SELECT pg_sleep(0.05), $1::integer AS n', [n]));
      const settled = await Promise.allSettled(works);
      expect(settled.filter(({ status }) => status === 'rejected')).toHaveLength(1);
      expect(await source.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    } finally {
      await source.destroy();
      proxy.close();
    }
  });
});
