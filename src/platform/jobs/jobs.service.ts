import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Logger as WorkerLogger, run, type Runner } from 'graphile-worker';
import pg from 'pg';
import type { Logger } from 'pino';
import { Config } from '../../config/config.js';
import { DatabaseUrl } from '../database/database.module.js';
import type { Tx } from '../database/database.js';
import { LOGGER } from '../logging/logging.module.js';

/** Does one job. A throw makes graphile-worker try the job again later, with growing delays. */
export type JobHandler<Payload = unknown> = (payload: Payload) => Promise<void>;

export interface JobOptions {
  /** Earliest start; default now. */
  runAt?: Date;
  /** A waiting job with the same key is replaced instead of doubled. */
  jobKey?: string;
  /** Tries before the job is given up; default 25. */
  maxAttempts?: number;
}

/** Jobs mostly wait for others; graphile-worker wants a connection for each, opened when it is needed. */
const CONCURRENT_JOBS = 16;

/**
 * Work outside requests, carried by graphile-worker's tables: a job is added in the transaction that makes it
 * necessary and runs, at least once, on some process whose ROLE works.
 */
@Injectable()
export class Jobs implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly handlers = new Map<string, JobHandler>();
  private readonly pool: pg.Pool;
  private runner: Runner | undefined;

  constructor(
    private readonly config: Config,
    url: DatabaseUrl,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    // graphile-worker does not wait for a pool of its own to end.
    this.pool = new pg.Pool({ connectionString: url.value, max: CONCURRENT_JOBS });
    // A pool that ends has said goodbye on its connections already; the server may close them first.
    const report = (err: Error): void => {
      if (!this.pool.ending) this.logger.warn({ err }, 'a connection for jobs was lost');
    };
    this.pool.on('error', report);
    this.pool.on('connect', (client) => client.on('error', report));
  }

  /** Declares who does the jobs named `task`; called while modules initialise. */
  handle<Payload>(task: string, handler: JobHandler<Payload>): void {
    if (this.handlers.has(task)) throw new Error(`The task ${task} has a handler already`);
    this.handlers.set(task, handler as JobHandler);
  }

  /** Adds a job; it becomes visible to workers when `tx` commits. */
  async add(tx: Tx, task: string, payload: object, { runAt, jobKey, maxAttempts }: JobOptions = {}): Promise<void> {
    await tx.query(
      'SELECT graphile_worker.add_job($1, payload := $2::json, run_at := $3, job_key := $4, max_attempts := $5)',
      [task, JSON.stringify(payload), runAt ?? null, jobKey ?? null, maxAttempts ?? null],
    );
  }

  async onApplicationBootstrap(): Promise<void> {
    if (this.config.ROLE === 'api' || this.handlers.size === 0) return;
    this.runner = await run({
      pgPool: this.pool,
      concurrency: CONCURRENT_JOBS,
      noHandleSignals: true,
      parsedCronItems: [],
      logger: this.workerLogger(),
      taskList: Object.fromEntries(
        [...this.handlers].map(([task, handler]) => [task, async (payload: unknown) => await handler(payload)]),
      ),
    });
  }

  /** Takes no further jobs and waits for the running ones. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.runner?.stop();
    await this.pool.end();
  }

  private workerLogger(): WorkerLogger {
    return new WorkerLogger(() => (level, message, meta) => {
      const log = { error: 'error', warning: 'warn', info: 'debug', debug: 'trace' } as const;
      this.logger[log[level as keyof typeof log]]({ meta: meta?.['error'] === undefined ? undefined : meta }, message);
    });
  }
}
