import { setTimeout as pause } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { CronJob } from 'cron';
import type { Logger } from 'pino';
import type { QueryRunner } from 'typeorm';
import { LOGGER } from '../../common/logging/logging.module.js';
import { Config } from '../../config/config.js';
import { DatabaseService } from '../database.service.js';
import { NotificationsService } from '../notifications.service.js';
import { QueueMetricsService } from './queue-metrics.service.js';

/** PostgreSQL channel for periodic work requested ahead of schedule. The payload is the name of the work. */
const CHANNEL = 'periodic_work';
/** Maximum wait for running work when the process stops. */
const PATIENCE_MS = 5_000;

/** SQL for the advisory lock key of the work named by $1. */
const KEY = `hashtextextended('periodic work: ' || $1, 0)`;

interface IsFree {
  is_free: boolean;
}

interface Work {
  do: () => Promise<void>;
  running: Promise<void> | undefined;
  /** Whether the work was requested again while it was running. */
  isDueAgain: boolean;
}

/**
 * Runs scheduled work in every process whose ROLE is not `api`. An advisory lock keeps processes from running the same work
 * concurrently. Runs that fail, or are due while no process is up, are skipped.
 */
@Injectable()
export class PeriodicWorkService implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly works = new Map<string, Work>();
  private session: QueryRunner | undefined;
  private isStopping = false;

  constructor(
    private readonly config: Config,
    private readonly database: DatabaseService,
    private readonly notifications: NotificationsService,
    private readonly scheduler: SchedulerRegistry,
    private readonly metrics: QueueMetricsService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Registers work. Must be called while modules initialize.
   *
   * @param match minute, hour, day, month and weekday in UTC, as in a crontab
   */
  every(match: string, name: string, work: () => Promise<void>): void {
    this.works.set(name, { do: work, running: undefined, isDueAgain: false });
    const onTick = (): void => this.run(name);
    this.scheduler.addCronJob(name, CronJob.from({ cronTime: match, timeZone: 'UTC', onTick }));
  }

  /** Requests an immediate run in one of the processes. Call it after the data that the work reads has committed. */
  requestRun(name: string): void {
    this.notifications.send(CHANNEL, name);
  }

  onModuleInit(): void {
    if (this.config.ROLE !== 'api')
      this.notifications.listen(CHANNEL, (name) => {
        if (name !== null) this.run(name);
      });
  }

  onApplicationBootstrap(): void {
    if (this.config.ROLE !== 'api') for (const job of this.scheduler.getCronJobs().values()) job.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    for (const job of this.scheduler.getCronJobs().values()) await job.stop();
    const running = Promise.all([...this.works.values()].map(async (work) => await work.running));
    await Promise.race([running, pause(PATIENCE_MS, undefined, { ref: false })]);
  }

  private run(name: string): void {
    const work = this.works.get(name);
    if (work === undefined || this.isStopping) return;
    if (work.running !== undefined) {
      work.isDueAgain = true;
      return;
    }
    work.isDueAgain = false;
    work.running = this.perform(name, work)
      .catch((err: unknown) => this.logger.error({ err, task: name }, 'periodic work failed'))
      .finally(() => {
        work.running = undefined;
        if (work.isDueAgain) this.run(name);
      });
  }

  private async perform(name: string, work: Work): Promise<void> {
    const session = this.sessionOfLocks();
    try {
      const [lock] = (await session.query(`SELECT pg_try_advisory_lock(${KEY}) AS is_free`, [name])) as IsFree[];
      // Another process is running the work.
      if (lock?.is_free !== true) return;
      const end = this.metrics.startTimer(name);
      let outcome: 'done' | 'failed' = 'failed';
      try {
        await work.do();
        outcome = 'done';
      } finally {
        end(outcome);
        // If the connection was lost, the server has already released the lock.
        await session
          .query(`SELECT pg_advisory_unlock(${KEY})`, [name])
          .catch((err: unknown) =>
            this.logger.warn({ err, task: name }, 'the lock of periodic work could not be released'),
          );
      }
    } finally {
      const others = [...this.works.values()].filter((other) => other !== work);
      if (others.every(({ running }) => running === undefined)) await this.session?.release();
    }
  }

  /** Returns the connection for locks. All work shares it, so that locks do not use up the pool. */
  private sessionOfLocks(): QueryRunner {
    if (this.session === undefined || this.session.isReleased) this.session = this.database.source.createQueryRunner();
    return this.session;
  }
}
