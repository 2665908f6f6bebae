import { SchedulerRegistry } from '@nestjs/schedule';
import { afterEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import type { Config } from '../../src/config/config.js';
import { DatabaseUrl } from '../../src/database/database-url.js';
import type { DatabaseWatchService } from '../../src/database/database-watch.service.js';
import { NotificationsService } from '../../src/database/notifications.service.js';
import { PeriodicWorkService } from '../../src/database/queues/periodic-work.service.js';
import type { QueueMetricsService } from '../../src/database/queues/queue-metrics.service.js';
import { useDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';

const db = useDatabase({ poolSize: 4 });
let stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.map(async (stop) => await stop()));
  stops = [];
});

/** Starts a process with periodic work. The work lasts until the test ends it. */
async function startProcess(names: string[], match = '0 0 1 1 *') {
  const logged: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line) => logged.push(line) });
  const watch = { onUnresponsive: () => undefined } as unknown as DatabaseWatchService;
  const notifications = new NotificationsService(new DatabaseUrl(db.url), logger, watch);
  const outcomes: string[] = [];
  const metrics = { startTimer: () => (outcome: string) => outcomes.push(outcome) } as unknown as QueueMetricsService;
  const config = { ROLE: 'all' } as Config;
  const periodic = new PeriodicWorkService(
    config,
    db.database,
    notifications,
    new SchedulerRegistry(),
    metrics,
    logger,
  );
  const runs: { name: string; end: () => void; fail: () => void }[] = [];
  for (const name of names)
    periodic.every(
      match,
      name,
      () =>
        new Promise((end, reject) => {
          runs.push({ name, end, fail: () => reject(new Error('It fails')) });
        }),
    );
  periodic.onModuleInit();
  await notifications.onApplicationBootstrap();
  periodic.onApplicationBootstrap();
  stops.push(async () => {
    const stopped = periodic.beforeApplicationShutdown();
    for (const { end } of runs) end();
    await stopped;
    await notifications.onApplicationShutdown();
  });
  const begun = async (count: number): Promise<typeof runs> =>
    await eventually(
      () => Promise.resolve(runs),
      ({ length }) => length >= count,
      { until: `${count} have begun` },
    );
  return { periodic, notifications, runs, outcomes, logged, begun };
}

const LOCKS = `FROM pg_locks WHERE locktype = 'advisory'
   AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
const locks = async (): Promise<number> => {
  const [row] = await db.database.manager.query<{ count: number }[]>(`SELECT count(*)::integer AS count ${LOCKS}`);
  return row?.count ?? 0;
};

describe('periodic work', () => {
  it('runs on schedule', async () => {
    const { begun } = await startProcess(['tidy'], '* * * * * *');
    await begun(1);
  });

  it('runs in only one process at a time and releases the lock afterwards', async () => {
    const [first, second] = [await startProcess(['tidy']), await startProcess(['tidy'])];
    first.periodic.requestRun('tidy');
    const runs = await eventually(
      () => Promise.resolve([...first.runs, ...second.runs]),
      ({ length }) => length > 0,
      { until: 'one has begun' },
    );
    expect(await locks()).toBe(1);
    const [idle, busy] = first.runs.length === 0 ? [first, second] : [second, first];
    // The busy process also receives the request and therefore runs again.
    idle.periodic.requestRun('tidy');
    await idle.notifications.onApplicationShutdown();
    expect([idle.runs.length, busy.runs.length]).toEqual([0, 1]);
    runs[0]?.end();
    await busy.begun(2);
    busy.runs[1]?.end();
    await eventually(locks, (count) => count === 0, { until: 'it is over' });
  });

  it('runs only once more after several requests during a run', async () => {
    const { periodic, begun, runs } = await startProcess(['tidy']);
    periodic.requestRun('tidy');
    await begun(1);
    for (let times = 0; times < 3; times += 1) periodic.requestRun('tidy');
    await eventually(locks, (count) => count === 1, { until: 'it holds its lock' });
    runs[0]?.end();
    await begun(2);
    runs[1]?.end();
    await eventually(locks, (count) => count === 0, { until: 'all is over' });
    expect(runs).toHaveLength(2);
  });

  it('can include more concurrent jobs than the pool has connections', async () => {
    const names = ['one', 'two', 'three', 'four', 'five', 'six'];
    const { periodic, begun } = await startProcess(names);
    for (const name of names) periodic.requestRun(name);
    await begun(names.length);
    // One connection remains available for other work.
    expect(await locks()).toBe(names.length);
  });

  it('is logged and counted as failed if it fails, and runs again on the next request', async () => {
    const { periodic, begun, outcomes, logged } = await startProcess(['tidy']);
    periodic.requestRun('tidy');
    (await begun(1))[0]?.fail();
    await eventually(locks, (count) => count === 0, { until: 'it is over' });
    expect([outcomes, logged.length]).toEqual([['failed'], 1]);
    periodic.requestRun('tidy');
    await begun(2);
  });

  it('runs again after the connection that held its lock was lost', async () => {
    const { periodic, begun, runs } = await startProcess(['tidy']);
    periodic.requestRun('tidy');
    await begun(1);
    await db.database.manager.query(`SELECT pg_terminate_backend(pid) ${LOCKS}`);
    runs[0]?.end();
    await eventually(
      async () => {
        periodic.requestRun('tidy');
        return await Promise.resolve(runs.length);
      },
      (count) => count === 2,
      { until: 'it is done again' },
    );
  });
});
