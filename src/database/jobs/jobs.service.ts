import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { type CronItem, Logger as WorkerLogger, parseCronItems, run, type Runner } from 'graphile-worker';
import type pg from 'pg';
import type { Logger } from 'pino';
import { Config } from '../../config/config.js';
import { DatabaseUrl } from '../database-url.js';
import { DatabaseWatchService } from '../database-watch.service.js';
import type { Tx } from '../database.service.js';
import { WorkerPool } from '../worker-pool.js';
import { LOGGER } from '../../common/logging/logging.module.js';
import { lookingInTurn, WORKER_POLL_MS } from './due-jobs.js';
import { JobMetricsService } from './job-metrics.service.js';
import { addJob, type JobOptions } from './jobs.repository.js';

/** Does one job. A throw makes graphile-worker try the job again later, with growing delays. */
export type JobHandler<Payload = unknown> = (payload: Payload) => Promise<void>;

/** Concurrent jobs of all tasks without their own limit. */
const CONCURRENT_JOBS = 16;
/** Jobs hold no connection while they run: taking them up and reporting them done gets by with few. */
const CONNECTIONS = 16;
/** Long enough for a busy pool: workers ask all at once. */
const CONNECT_MS = 30_000;
/** Delay before a runner that gave up is replaced. */
const RESTART_MS = 1_000;

/** Ends a job in a stopping process. Another process runs it again. */
export class JobLeft extends Error {}

/** Tasks that share a concurrency limit. */
interface Group {
  concurrency: number;
  handlers: Map<string, JobHandler>;
}

/**
 * Work outside requests, carried by graphile-worker's tables: a job is added in the transaction that makes it
 * necessary and runs, at least once, on some process whose ROLE works.
 */
@Injectable()
export class JobsService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly shared: Group = { concurrency: CONCURRENT_JOBS, handlers: new Map() };
  private readonly groups: Group[] = [this.shared];
  private readonly timetable: CronItem[] = [];
  private readonly pool: pg.Pool;
  private readonly runners = new Set<Runner>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly config: Config,
    private readonly metrics: JobMetricsService,
    url: DatabaseUrl,
    watch: DatabaseWatchService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    // graphile-worker does not wait for a pool of its own to end. What it notes of jobs need not have reached the disk: a
    // job that a crash of the server has taken back runs once more, as any job may.
    this.pool = new WorkerPool(
      {
        connectionString: url.value,
        max: CONNECTIONS,
        connectionTimeoutMillis: CONNECT_MS,
        options: '-c synchronous_commit=off',
      },
      this.stopping.signal,
      logger,
    );
    // A pool that ends has said goodbye on its connections already; the server may close them first.
    const report = (err: Error): void => {
      if (!this.pool.ending) this.logger.warn({ err }, 'a connection for jobs was lost');
    };
    this.pool.on('error', report);
    this.pool.on('connect', (client) => client.on('error', report));
    watch.guard(this.pool);
  }

  /**
   * Declares who does the jobs named `task`; called while modules initialise.
   *
   * @param concurrency how many of them this process does at once, apart from those of other tasks; by default they
   *   share a number with them.
   */
  handle<Payload>(task: string, handler: JobHandler<Payload>, { concurrency }: { concurrency?: number } = {}): void {
    if (this.groups.some(({ handlers }) => handlers.has(task)))
      throw new Error(`The task ${task} has a handler already`);
    if (concurrency === undefined) this.shared.handlers.set(task, handler as JobHandler);
    else this.groups.push({ concurrency, handlers: new Map([[task, handler as JobHandler]]) });
  }

  /**
   * Declares work that is due again and again, whichever process does it; called while modules initialise. A time that
   * fails or that no process is there for is left out.
   *
   * @param match minute, hour, day, month and weekday in UTC, as in a crontab
   */
  every(match: string, task: string, handler: () => Promise<void>): void {
    this.handle(task, handler);
    this.timetable.push({ task, match, options: { jobKey: task, maxAttempts: 1 } });
  }

  /** Adds a job; it becomes visible to workers when `tx` commits. */
  async add(tx: Tx, task: string, payload: object, options: JobOptions = {}): Promise<void> {
    await addJob(tx, task, payload, options);
  }

  async onApplicationBootstrap(): Promise<void> {
    if (this.config.ROLE === 'api') return;
    for (const group of this.groups) if (group.handlers.size > 0) void this.keep(group, await this.start(group));
  }

  /** Takes no more jobs and waits for the running ones. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.all([...this.runners].map(async (runner) => await runner.stop()));
    await this.pool.end();
  }

  /** Replaces a runner that gave up. */
  private async keep(group: Group, first: Runner): Promise<void> {
    const { signal } = this.stopping;
    for (let runner: Runner | undefined = first; !signal.aborted;) {
      try {
        runner ??= await this.start(group);
        await runner.promise;
      } catch (error) {
        this.logger.error({ err: error }, 'jobs are not done for a moment');
      }
      if (runner !== undefined) this.runners.delete(runner);
      runner = undefined;
      await pause(RESTART_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private async start({ concurrency, handlers }: Group): Promise<Runner> {
    const runner = await run({
      // Without batches, of any size, graphile-worker neither waits for a job's end to be stored nor hears of its failure.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      pgPool: this.pool,
      concurrency,
      pollInterval: WORKER_POLL_MS,
      events: lookingInTurn(),
      noHandleSignals: true,
      parsedCronItems: parseCronItems(this.timetable.filter(({ task }) => handlers.has(task))),
      logger: this.workerLogger(),
      taskList: Object.fromEntries(
        [...handlers].map(([task, handler]) => [
          task,
          async (payload: unknown) => await this.metrics.measured(task, () => handler(payload)),
        ]),
      ),
    });
    this.runners.add(runner);
    return runner;
  }

  private workerLogger(): WorkerLogger {
    return new WorkerLogger(() => (level, message, meta) => {
      // It would open a connection for every job.
      if (message.includes('smaller than concurrency')) return;
      const log = { error: 'error', warning: 'warn', info: 'debug', debug: 'trace' } as const;
      const isLeft = meta?.['error'] instanceof JobLeft;
      this.logger[isLeft ? 'debug' : log[level as keyof typeof log]](
        { meta: meta?.['error'] === undefined ? undefined : meta },
        message,
      );
    });
  }
}
