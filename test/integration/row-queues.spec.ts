import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { type Lease, LeaseLost } from '../../src/common/leases/lease.js';
import { claimedBy, RENEWED } from '../../src/common/leases/leased-row.sql.js';
import type { Config } from '../../src/config/config.js';
import { createDataSource } from '../../src/database/data-source.js';
import { DatabaseUrl } from '../../src/database/database-url.js';
import type { DatabaseWatchService } from '../../src/database/database-watch.service.js';
import { NotificationsService } from '../../src/database/notifications.service.js';
import type { QueueMetricsService } from '../../src/database/queues/queue-metrics.service.js';
import { RowQueuesService } from '../../src/database/queues/row-queues.service.js';
import { ShuttingDown } from '../../src/database/queues/row-queue.js';
import { useDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { TcpProxy } from '../support/tcp-proxy.js';

const db = useDatabase();
let proxy: TcpProxy;
beforeAll(async () => {
  proxy = await TcpProxy.start(Number(new URL(db.url).port));
  await db.database.manager.query(`
    CREATE TABLE chores (
      id text PRIMARY KEY, state text NOT NULL DEFAULT 'open', owner uuid, due_at timestamptz(3) NOT NULL DEFAULT now(),
      generation integer NOT NULL DEFAULT 0, attempts integer NOT NULL DEFAULT 0)`);
});
afterAll(() => proxy.stop());
beforeEach(() => db.database.manager.query('TRUNCATE chores'));

/** Ends the processes of a test, even after a failure. */
let stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  proxy.become('whole');
  await Promise.all(stops.map(async (stop) => await stop()));
  stops = [];
});

interface Chore {
  id: string;
  generation: number;
}

/** Work on a row, which lasts until the test ends it. */
interface Started extends Chore {
  lease: Lease;
  end: () => void;
  fail: () => void;
}

/** Starts a process with a queue whose database is behind the proxy. */
async function startProcess({ concurrency = 2, graceMs = 0 } = {}) {
  const url = new URL(db.url);
  url.port = String(proxy.port);
  const logged: string[] = [];
  const logger = pino({ level: 'info' }, { write: (line) => logged.push(line) });
  const watch = { onUnresponsive: () => undefined } as unknown as DatabaseWatchService;
  const notifications = new NotificationsService(new DatabaseUrl(url.href), logger, watch);
  const source = await createDataSource(url.href, 4).initialize();
  const outcomes: string[] = [];
  const metrics = {
    startTimer: () => (outcome: string) => outcomes.push(outcome),
    watchBacklog: () => undefined,
  } as unknown as QueueMetricsService;
  const queues = new RowQueuesService({ ROLE: 'all' } as Config, notifications, metrics, logger);
  const started: Started[] = [];
  const set = async (chore: Chore, change: string): Promise<void> => {
    await source.query(`UPDATE chores SET ${change} WHERE id = $1 AND generation = $2`, [chore.id, chore.generation]);
  };
  const queue = queues.open<Chore>({
    name: 'chores',
    concurrency,
    graceMs,
    claim: async (owner, room) => {
      const [rows]: [Chore[], number] = await source.query(
        `UPDATE chores SET ${claimedBy('$1')}
          WHERE id = ANY (ARRAY(SELECT id FROM chores WHERE state = 'open' AND due_at <= clock_timestamp()
                                 ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED))
        RETURNING id, generation`,
        [owner, room],
      );
      return { rows, more: true };
    },
    renew: async (chore) => await set(chore, RENEWED),
    run: (chore, lease) =>
      new Promise((resolve, reject) => {
        lease.signal.addEventListener('abort', () => reject(lease.signal.reason as Error));
        started.push({
          ...chore,
          lease,
          end: () => void set(chore, `state = 'done'`).then(resolve, reject),
          fail: () => reject(new Error('It fails')),
        });
      }),
    postpone: async (chore) => await set(chore, `owner = NULL, due_at = now() + interval '1 hour'`),
    release: async (chore) => await set(chore, `owner = NULL, due_at = now()`),
  });
  queues.onModuleInit();
  await notifications.onApplicationBootstrap();
  queues.onApplicationBootstrap();
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    queues.onModuleDestroy();
    await queues.beforeApplicationShutdown();
    await notifications.onApplicationShutdown();
    await source.destroy();
  };
  const process = {
    queue,
    queues,
    started,
    outcomes,
    stop: () => (stopped ??= stop()),
    /** Returns the number of matching log lines. */
    said: (text: RegExp) => logged.filter((line) => text.test(line)).length,
    /** Waits until work on the given number of rows has begun. */
    begun: async (count: number): Promise<Started[]> =>
      await eventually(
        () => Promise.resolve(started),
        ({ length }) => length >= count,
        { until: `${count} have begun` },
      ),
  };
  stops.push(process.stop);
  return process;
}

const add = (...ids: string[]): Promise<unknown> =>
  db.database.manager.query('INSERT INTO chores (id) SELECT unnest($1::text[])', [ids]);
const stored = async (): Promise<Record<string, unknown>[]> =>
  await db.database.manager.query('SELECT id, state, owner IS NOT NULL AS is_held, attempts FROM chores ORDER BY id');
const done = (...ids: string[]) =>
  eventually(stored, (rows) => rows.filter(({ state }) => state === 'done').length === ids.length, {
    until: `${ids.join(', ')} are done`,
  });

describe('queue rows', () => {
  it('are processed concurrently up to the limit, and the next row is started when a row is finished', async () => {
    await add('a', 'b', 'c');
    const { started, begun, queue } = await startProcess();
    await begun(2);
    expect(started.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(queue.size).toBe(2);
    started[0]?.end();
    await begun(3);
    started[1]?.end();
    started[2]?.end();
    await done('a', 'b', 'c');
  });

  it('are found immediately by another process after a notification', async () => {
    const first = await startProcess({ concurrency: 1 });
    await add('a');
    first.queues.wake('chores');
    await first.begun(1);
    const second = await startProcess({ concurrency: 1 });
    await add('b');
    const began = Date.now();
    first.queues.wake('chores');
    await second.begun(1);
    expect(Date.now() - began).toBeLessThan(1_000);
    expect(second.started[0]?.id).toBe('b');
  });

  it('are found even without a notification', async () => {
    const { begun } = await startProcess();
    await add('a');
    await begun(1);
  });

  it('are postponed, logged and counted as failed if their work fails', async () => {
    await add('a');
    const { begun, outcomes, said } = await startProcess();
    (await begun(1))[0]?.fail();
    await eventually(stored, ([row]) => row?.['is_held'] === false, { until: 'it is given up' });
    expect([outcomes, said(/will be retried/)]).toEqual([['failed'], 1]);
  });

  it('stop being processed when they are abandoned, without affecting other rows', async () => {
    await add('a');
    const { begun, queue, outcomes } = await startProcess();
    const [chore] = await begun(1);
    queue.abandon('b');
    expect(chore?.lease.signal.aborted).toBe(false);
    queue.abandon('a');
    expect(chore?.lease.signal.reason).toBeInstanceOf(LeaseLost);
    await eventually(
      () => Promise.resolve(outcomes),
      ({ length }) => length === 1,
      { until: 'the work is over' },
    );
    expect(outcomes).toEqual(['left']);
  });

  it('are claimed again after their lease has expired, and can then no longer be changed by the first owner', async () => {
    await add('a');
    const first = await startProcess();
    const [lost] = await first.begun(1);
    const second = await startProcess();
    await db.database.manager.query('UPDATE chores SET due_at = now()');
    second.queue.wake();
    const begun = await eventually(
      () => Promise.resolve([...first.started.slice(1), ...second.started]),
      ({ length }) => length === 1,
      { until: 'it is claimed again' },
    );
    lost?.end();
    expect(await stored()).toMatchObject([{ state: 'open', is_held: true, attempts: 2 }]);
    begun[0]?.end();
    await done('a');
  });
});

describe('a stopping process', () => {
  it('releases its claimed rows', async () => {
    await add('a', 'b', 'c');
    const { begun, stop } = await startProcess();
    const [chore] = await begun(2);
    await stop();
    expect(chore?.lease.signal.reason).toBeInstanceOf(ShuttingDown);
    expect((await stored()).map(({ is_held }) => is_held)).toEqual([false, false, false]);
  });

  it('lets its work finish within the grace period, and then releases the remaining rows', async () => {
    await add('a', 'b');
    const { begun, stop, queue } = await startProcess({ graceMs: 400 });
    const [ends, stays] = await begun(2);
    const stopped = stop();
    ends?.end();
    await eventually(
      () => Promise.resolve(queue.size),
      (size) => size === 1,
      { until: 'one has ended' },
    );
    expect(stays?.lease.signal.aborted).toBe(false);
    await stopped;
    expect(await stored()).toMatchObject([{ state: 'done' }, { state: 'open', is_held: false }]);
  });

  it('ends even if its database is unavailable', async () => {
    await add('a');
    const { begun, stop, said } = await startProcess();
    await begun(1);
    proxy.become('cut');
    await stop();
    expect(said(/until its lease expires/)).toBe(1);
    expect(await stored()).toMatchObject([{ state: 'open', is_held: true }]);
  });
});

describe('a process whose database becomes unavailable', () => {
  it('continues its work, and claims rows with unsaved results again after their leases expire', async () => {
    await add('a', 'b');
    const { begun, said } = await startProcess({ concurrency: 3 });
    const [first, second] = await begun(2);
    proxy.become('cut');
    first?.end();
    // Neither the result nor the postponement could be stored.
    await eventually(
      () => Promise.resolve(said(/until its lease expires/)),
      (times) => times === 1,
      { until: 'it is left' },
    );
    proxy.become('whole');
    second?.end();
    await done('b');
    await db.database.manager.query(`UPDATE chores SET due_at = now() WHERE state = 'open'`);
    const [, , again] = await begun(3);
    expect(again).toMatchObject({ id: 'a', generation: 2 });
    again?.end();
    await done('a', 'b');
  }, 30_000);
});
