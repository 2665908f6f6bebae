import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ENGINE_ENTRY, TestEngine } from '../../test/support/data-engine.js';
import { makePdf, pdfPage } from '../../test/support/documents.js';
import { Unavailable } from '../common/errors/errors.js';
import { EngineConnection } from '../../packages/data-engine/engine-connection.js';
import { EngineUnavailable, ProcessPool } from '../../packages/data-engine/process-pool.js';

const SLOW = 'SELECT count(*) FROM range(1000000000000)';
/** Query during which DuckDB does not check for interrupts. */
const STUBBORN = "SELECT levenshtein(repeat('a', 90000), repeat('b', 90000))";

let test: TestEngine | undefined;
afterEach(async () => {
  await test?.stop();
  test = undefined;
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}

async function untilDead(pid: number): Promise<void> {
  while (isAlive(pid)) await sleep(10);
}

/** Waits until a process has used half a second of CPU time. Returns immediately on systems other than Linux. */
async function untilAtWork(pid: number): Promise<void> {
  if (process.platform !== 'linux') return;
  const start = ticksOf(pid);
  while (ticksOf(pid) < start + 50) await sleep(10);
}

/** Returns the CPU time of a process in hundredths of a second. */
function ticksOf(pid: number): number {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ').slice(11, 13);
  return Number(user) + Number(system);
}

async function pidOf({ pool }: TestEngine): Promise<number> {
  while (pool.pids.length === 0) await sleep(5);
  return pool.pids[0]!;
}

const reasonOf = async (work: Promise<unknown>): Promise<unknown> =>
  await work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('the data engine process', () => {
  it('starts with the first task, serves later tasks, and ends when idle', async () => {
    test = await TestEngine.start({ idleMs: 200 });
    expect(test.pool.processes).toBe(0);
    expect((await test.query('SELECT 1 AS a')).rows).toBe('[[1]]');
    const pid = await pidOf(test);
    await test.query('SELECT 2 AS a');
    expect(test.pool.pids).toEqual([pid]);
    await untilDead(pid);
    while (test.pool.processes > 0) await sleep(5);
    expect((await test.query('SELECT 3 AS a')).rows).toBe('[[3]]');
  });

  it('has an empty environment and low priority', async () => {
    if (process.platform !== 'linux') return;
    test = await TestEngine.start();
    await test.query('SELECT 1');
    const pid = await pidOf(test);
    const names = readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .filter((line) => line !== '');
    expect(names.filter((line) => !/^(NODE_CHANNEL_|PWD=|OLDPWD=|SHLVL=|_=)/.test(line))).toEqual([]);
    expect(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[16]).toBe('5');
  });

  it('ends with the service, even when it is busy', async () => {
    test = await TestEngine.start();
    const failed = reasonOf(test.query(STUBBORN));
    const pid = await pidOf(test);
    test.engine.onApplicationShutdown();
    expect(await failed).toBeInstanceOf(Unavailable);
    await untilDead(pid);
    expect(await reasonOf(test.query('SELECT 1'))).toBeInstanceOf(Unavailable);
  });

  it('ends when the service is killed', async () => {
    const script = `
      import { spawn } from 'node:child_process';
      const child = spawn(process.execPath, [${JSON.stringify(ENGINE_ENTRY.pathname)}], { env: {}, stdio: ['ignore', 'ignore', 'ignore', 'ipc'], serialization: 'advanced' });
      child.on('message', ({ ready, started }) => {
        if (ready) child.send({ id: 1, task: { kind: 'query', tables: {}, sql: ${JSON.stringify(STUBBORN)}, limit: 1 } });
        if (started) console.log(child.pid);
      });`;
    const service = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(service.stdout, 'data')) as [Buffer];
    const pid = Number(line.toString());
    expect(isAlive(pid)).toBe(true);
    service.kill('SIGKILL');
    await untilDead(pid);
  });

  it.each([
    ['9 0 obj', '5 1 obj'],
    ['9 0 obj', '5 7 obj'],
  ])('serves the next task after a PDF with the misnumbered objects %s and %s', async (fourth, fifth) => {
    test = await TestEngine.start();
    const from = join(test.directory, 'misnumbered.pdf');
    const objects = new Map([
      [1, '<< /Type /Catalog /Pages 2 0 R >>'],
      [2, '<< /Type /Pages /Kids [4 0 R 5 0 R] /Count 2 >>'],
      [3, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'],
      [4, pdfPage('6 0 R')],
      [5, pdfPage('6 0 R')],
      [6, '<< >>'],
    ]);
    const bytes = makePdf(objects).toString('latin1').replace('4 0 obj', fourth).replace('5 0 obj', fifth);
    await writeFile(from, bytes, 'latin1');
    const connection = await EngineConnection.start(ENGINE_ENTRY, 0);
    try {
      const text = await connection.perform({ kind: 'text', format: 'pdf', from, maxBytes: 100 }, 5_000);
      expect(text.kind).toBe('answered');
      const query = { kind: 'query', tables: {}, sql: 'SELECT 1 AS a', limit: 1 } as const;
      expect(await connection.perform(query, 5_000)).toMatchObject({ kind: 'answered', answer: { rows: '[[1]]' } });
      expect(connection.needsReplacement).toBe(true);
    } finally {
      connection.kill();
    }
  });

  it('is reported as unavailable if it cannot be started', async () => {
    const pool = new ProcessPool({ size: 1, entry: new URL('file:///nowhere/engine.js') });
    expect(await reasonOf(pool.acquire())).toBeInstanceOf(EngineUnavailable);
    expect(pool.processes).toBe(0);
  });
});

describe('a data engine task', () => {
  it('runs in another process if the first process is killed', async () => {
    test = await TestEngine.start();
    const answer = test.query('SELECT sum(sin(range)) > -9 AS a FROM range(20000000)');
    process.kill(await pidOf(test), 'SIGKILL');
    expect((await answer).rows).toBe('[[true]]');
    expect(await test.metrics.scrape()).toContain('pws_data_engine_restarts_total 1');
  });

  it('fails as unavailable after losing two processes without affecting the next task', async () => {
    test = await TestEngine.start();
    const failed = reasonOf(test.query(SLOW));
    for (const seen = new Set<number>(); seen.size < 2; await sleep(10))
      for (const pid of test.pool.pids)
        if (!seen.has(pid)) {
          seen.add(pid);
          process.kill(pid, 'SIGKILL');
        }
    expect(await failed).toBeInstanceOf(Unavailable);
    expect((await test.query('SELECT 1 AS a')).rows).toBe('[[1]]');
  });

  it('either returns a correct result or fails while processes are killed', async () => {
    test = await TestEngine.start({ size: 3 });
    const table = await test.table('numbers', 'SELECT range AS n FROM range(50000)');
    const { pool } = test;
    // A task that loses its process is retried. Three kills can therefore make at most one task lose two processes.
    const killing = (async () => {
      for (const killed = new Set<number>(); killed.size < 3; await setImmediate())
        for (const pid of pool.pids)
          if (!killed.has(pid) && killed.size < 3) {
            killed.add(pid);
            process.kill(pid, 'SIGKILL');
          }
    })();
    const outcomes = await Promise.all(
      Array.from({ length: 6 }, async (_, index) => {
        const asked = test!.query(
          `SELECT sum(n) * ${index} AS s FROM numbers`,
          { numbers: table },
          { company_id: `${index}` },
        );
        return await asked.then(
          ({ rows }) => (JSON.parse(rows) as unknown[][])[0]![0],
          (error: unknown) => error,
        );
      }),
    );
    await killing;
    for (const [index, outcome] of outcomes.entries())
      if (!(outcome instanceof Unavailable)) expect(outcome).toBe(index * 1_249_975_000);
    expect(outcomes.filter((outcome) => outcome instanceof Unavailable).length).toBeLessThanOrEqual(1);
    expect(await test.metrics.scrape()).toMatch(/pws_data_engine_restarts_total [1-3]/);
    const startedAt = performance.now();
    expect((await test.query('SELECT 1 AS a')).rows).toBe('[[1]]');
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  it.each([SLOW, STUBBORN])('stops at the time limit: %s', async (sql) => {
    test = await TestEngine.start({ seconds: 1.5 });
    expect(await reasonOf(test.query(sql))).toMatchObject({ code: 'query_timeout' });
    expect((await test.query('SELECT 1 AS a')).rows).toBe('[[1]]');
  });

  it('stops when the client disconnects, both while running and while waiting', async () => {
    test = await TestEngine.start();
    const running = new AbortController();
    const waiting = new AbortController();
    const first = reasonOf(test.query(SLOW, {}, { signal: running.signal }));
    const second = reasonOf(test.query(SLOW, {}, { signal: waiting.signal }));
    const pid = await pidOf(test);
    waiting.abort(new Error('gone while waiting'));
    expect(await second).toEqual(new Error('gone while waiting'));
    await untilAtWork(pid);
    const startedAt = performance.now();
    running.abort(new Error('gone'));
    expect(await first).toEqual(new Error('gone'));
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect((await test.query('SELECT 1 AS a')).rows).toBe('[[1]]');
  });

  it('waits for tasks of the same company but not for tasks of other companies', async () => {
    test = await TestEngine.start();
    const gone = new AbortController();
    const slow = [1, 2, 3].map(() => reasonOf(test!.query(SLOW, {}, { signal: gone.signal })));
    await pidOf(test);
    expect((await test.query('SELECT 1 AS a', {}, { company_id: 'b' })).rows).toBe('[[1]]');
    expect(await test.metrics.scrape()).toMatch(/pws_data_engine_waiting 2/);
    gone.abort(new Error('gone'));
    await Promise.all(slow);
  });

  it('fails with an error if its result does not fit in memory, and does not restart the process', async () => {
    test = await TestEngine.start({ seconds: 30 });
    expect(await reasonOf(test.query("SELECT repeat(repeat('a', 1000000), 300)"))).toMatchObject({
      code: 'invalid_sql',
      message: 'The first row is too large for a response: select fewer columns or shorter values',
    });
    expect(await reasonOf(test.query('SELECT range(100000000)'))).toMatchObject({
      code: expect.stringMatching(/^(invalid_sql|out_of_memory)$/),
    });
    expect(await test.metrics.scrape()).toContain('pws_data_engine_restarts_total 0');
  }, 60_000);

  it('returns every member of a struct, and dates of any era', async () => {
    test = await TestEngine.start();
    const { rows } =
      await test.query(`SELECT ROW(1, 'a'), {'__proto__': 1, 'a': {'b': [ROW(2, NULL)]}}, NULL::INT[], [NULL, [1]],
      ['{"c":[3]}'::JSON], DATE '0044-03-15 (BC)', TIMESTAMP '0001-03-15 (BC) 12:30:00', TIMESTAMPTZ '12345-01-02 00:00:00+00',
      DATE 'infinity', TIMESTAMP '2025-03-14 08:30:00.5'`);
    expect(rows).toBe(
      '[[[1,"a"],{"__proto__":1,"a":{"b":[[2,null]]}},null,[null,[1]],[{"c":[3]}],"-000043-03-15","0000-03-15T12:30:00",' +
        '"+012345-01-02T00:00:00Z","infinity","2025-03-14T08:30:00.5"]]',
    );
  });

  it('reports running out of memory as a problem rather than a fault', async () => {
    test = await TestEngine.start();
    expect(await reasonOf(test.query('SELECT list(range) FROM range(1000000000)'))).toMatchObject({
      code: 'out_of_memory',
    });
    expect((await test.query('SELECT 1 AS a')).rows).toBe('[[1]]');
  });
});
