import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { pino } from 'pino';
import type { Config } from '../../src/config/config.js';
import { DatabaseUrl } from '../../src/database/database-url.js';
import type { DatabaseWatchService } from '../../src/database/database-watch.service.js';
import type { JobMetricsService } from '../../src/database/jobs/job-metrics.service.js';
import { addJob } from '../../src/database/jobs/jobs.repository.js';
import { JobsService } from '../../src/database/jobs/jobs.service.js';
import { useDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { TcpProxy } from '../support/tcp-proxy.js';

const db = useDatabase();
let proxy: TcpProxy;
beforeAll(async () => {
  proxy = await TcpProxy.start(Number(new URL(db.url).port));
});
afterAll(() => proxy.stop());

/** Ends the jobs of a test, whatever has become of it. */
let stop: (() => Promise<void>) | undefined;
afterEach(() => stop?.());

/** A job that runs as long as the test wants it to. */
interface Running {
  name: string;
  end: () => void;
  fail: () => void;
}

/** The jobs of one task in this process, whose database is behind the proxy. */
async function startJobs(task: string) {
  const url = new URL(db.url);
  url.port = String(proxy.port);
  const complaints: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line) => complaints.push(line) });
  const jobs = new JobsService(
    { ROLE: 'all' } as Config,
    { measured: (_, work) => work() } as JobMetricsService,
    new DatabaseUrl(url.href),
    { guard: () => undefined } as unknown as DatabaseWatchService,
    logger,
  );
  const started: Running[] = [];
  const run = ({ name }: { name: string }): Promise<void> =>
    new Promise((end, reject) => {
      started.push({ name, end, fail: () => reject(new Error(`${name} fails`)) });
    });
  jobs.handle(task, run, { concurrency: 8 });
  await jobs.onApplicationBootstrap();
  let stopped: Promise<void> | undefined;
  stop = () => (stopped ??= jobs.beforeApplicationShutdown());
  return {
    stop,
    /** How often something was logged whose text matches. */
    said: (text: RegExp) => complaints.filter((line) => text.test(line)).length,
    started,
    /** Adds jobs and waits until they run. */
    begin: async (...names: string[]): Promise<Running[]> => {
      for (const name of names) await db.database.transaction((tx) => jobs.add(tx, task, { name }));
      const found = (): Running[] => names.flatMap((name) => started.filter((job) => job.name === name));
      return await eventually(
        () => Promise.resolve(found()),
        ({ length }) => length === names.length,
        { until: `${names.join(', ')} run`, deadlineMs: 10_000 },
      );
    },
    /** The jobs that are there, with the attempts of each. */
    left: async (): Promise<Record<string, unknown>[]> =>
      await db.database.manager.query(
        `SELECT j.payload->>'name' AS name, j.attempts, j.locked_by IS NOT NULL AS is_locked
           FROM graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id
          WHERE t.identifier = $1 ORDER BY j.id`,
        [task],
      ),
  };
}

/** What is said of an end that could not be stored. */
const NOT_STORED = /could not be stored|cannot be stored|Failed to (complete|fail) jobs/;

describe('jobs that are due later', () => {
  it('start together when their time comes together', async () => {
    const jobs = await startJobs('later');
    const names = Array.from({ length: 8 }, (_, index) => `later ${index}`);
    const runAt = new Date(Date.now() + 1_000);
    await db.database.transaction(async (tx) => {
      for (const name of names) await addJob(tx, 'later', { name }, { runAt });
    });
    // Less than each of them would take that waits for a look of its own.
    await eventually(
      () => Promise.resolve(jobs.started),
      ({ length }) => length === names.length,
      { until: 'all run', deadlineMs: 10_000 },
    );
    expect(Date.now()).toBeGreaterThanOrEqual(runAt.getTime());
    for (const job of jobs.started) job.end();
    await eventually(jobs.left, ({ length }) => length === 0, { until: 'all are done' });
  });
});

describe('jobs whose database goes away', () => {
  it('go on, and every end is stored, when some end meanwhile and others live through it', async () => {
    const jobs = await startJobs('outlast');
    const [done, failed, longer, longest] = await jobs.begin('done', 'failed', 'longer', 'longest');
    proxy.become('cut');
    // One after the other: what is not stored of two at once is one failure.
    for (const [count, end] of [done?.end, failed?.fail, longer?.fail].entries()) {
      end?.();
      await eventually(
        () => Promise.resolve(jobs.said(NOT_STORED)),
        (said) => said > count,
        { until: 'an end could not be stored' },
      );
    }
    proxy.become('whole');
    const [next] = await jobs.begin('next');
    longest?.end();
    next?.end();
    expect(
      await eventually(jobs.left, ({ length }) => length === 2, { until: 'the ends of all jobs are stored' }),
    ).toEqual(['failed', 'longer'].map((name) => ({ name, attempts: 1, is_locked: false })));
    const [last] = await jobs.begin('last');
    last?.end();
    // Each of them once.
    const names = jobs.started.slice(0, 4).map(({ name }) => name);
    expect(names.sort()).toEqual(['done', 'failed', 'longer', 'longest']);
  });

  it('are found when it goes away before the first of them was looked for', async () => {
    const blocker = new pg.Client(db.url);
    await blocker.connect();
    await blocker.query('BEGIN');
    await blocker.query('LOCK TABLE graphile_worker._private_tasks IN ACCESS EXCLUSIVE MODE');
    const jobs = await startJobs('begin');
    await eventually(
      () =>
        db.database.manager.query<{ ended: boolean }[]>(
          `SELECT pg_terminate_backend(pid) AS ended FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%_private_tasks%'`,
        ),
      ({ length }) => length === 1,
      { until: 'the numbers of the tasks are asked for' },
    );
    await blocker.query('COMMIT');
    await blocker.end();
    const [job] = await jobs.begin('first');
    job?.end();
    expect(await eventually(jobs.left, ({ length }) => length === 0, { until: 'it is done' })).toEqual([]);
  });

  it('do not keep a process from stopping', async () => {
    const jobs = await startJobs('stop');
    const running = await jobs.begin('one', 'other', 'third');
    proxy.become('cut');
    const stopped = jobs.stop();
    for (const job of running) job.end();
    await stopped;
    proxy.become('whole');
    // Their ends are unknown, as after a crash.
    expect(await jobs.left()).toEqual(
      ['one', 'other', 'third'].map((name) => ({ name, attempts: 1, is_locked: true })),
    );
  });
});
