import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { Lease, LeaseLost } from '../../common/leases/lease.js';
import { IntervalRunner } from '../../common/leases/interval-runner.js';
import type { QueueMetricsService } from './queue-metrics.service.js';

/** Poll interval if no wake-up arrives. */
const POLL_MS = 2_000;

/** Abort reason when the process stops. Another process continues with the row. */
export class ShuttingDown extends Error {}

/** Row that is never processed by two workers at the same time. */
export interface QueuedRow {
  id: string;
}

export interface Claimed<Row> {
  rows: Row[];
  /**
   * Whether rows may remain that could not be claimed yet. The queue then polls again when the work on one of its rows ends.
   */
  more: boolean;
}

export interface RowQueueOptions<Row extends QueuedRow> {
  /** Name of the queue in wake-ups, logs and metrics. */
  name: string;
  /** Maximum number of rows that a process works on concurrently. */
  concurrency: number;
  /** Grace period for running rows when the process stops. Defaults to none. */
  graceMs?: number;
  /** SELECT that returns a row with `waiting` and `oldest_seconds`, for metrics and health checks. Omit to skip these. */
  backlog?: string;
  /**
   * Claims up to `room` rows for `owner`.
   *
   * @param owner unique per call
   * @param running rows that this process is already working on
   */
  claim: (owner: string, room: number, running: readonly Row[]) => Promise<Claimed<Row>>;
  /**
   * Extends the lease of a row.
   * @throws LeaseLost
   */
  renew: (row: Row) => Promise<void>;
  /** Works on a row until the row is finished or the lease's signal aborts. */
  run: (row: Row, lease: Lease) => Promise<void>;
  /** Reschedules a row whose work failed. By default the row waits until its lease expires. */
  postpone?: (row: Row) => Promise<void>;
  /**
   * Releases a row that the process cannot finish because the process is stopping. By default the row waits until its lease
   * expires.
   */
  release?: (row: Row) => Promise<void>;
  /** Returns the log fields for a row. Defaults to the row's id. */
  labels?: (row: Row) => object;
  /** Handles rows whose processes have died, if `claim` does not. Runs at startup and every few seconds. */
  reap?: () => Promise<void>;
}

interface Running<Row> {
  row: Row;
  lease: Lease;
  ended: Promise<void>;
}

/**
 * Works on the rows of a table. It claims waiting rows while there is capacity, renews their leases, and releases them when the
 * process stops. The rows are the source of truth. A wake-up only triggers the next poll earlier, so a lost wake-up costs two
 * seconds.
 */
export class RowQueue<Row extends QueuedRow> {
  /** Running rows. A row appears twice if this process lost its lease and claimed it again. */
  private readonly running = new Set<Running<Row>>();
  private poller: IntervalRunner | undefined;
  private reaper: IntervalRunner | undefined;
  private isBehind = false;
  private isGraceOver = false;
  private grace: NodeJS.Timeout | undefined;

  constructor(
    private readonly options: RowQueueOptions<Row>,
    private readonly metrics: QueueMetricsService,
    private readonly logger: Logger,
  ) {}

  /** Number of rows that this process is working on. */
  get size(): number {
    return this.running.size;
  }

  start(): void {
    const { name, reap } = this.options;
    const failure = `the queue ${name} could not be checked`;
    this.poller = new IntervalRunner(async () => await this.poll(), failure, this.logger, POLL_MS);
    if (reap !== undefined) this.reaper = new IntervalRunner(reap, failure, this.logger);
  }

  /** Polls for rows now. */
  wake(): void {
    this.poller?.wake();
  }

  /** Aborts this process's work on a row that another process or a request has ended. */
  abandon(id: string): void {
    for (const { row, lease } of this.running) if (row.id === id) lease.abort(new LeaseLost());
  }

  /** Stops claiming rows. Running rows finish within the grace period or are released. Resolves when no work is running. */
  async stop(): Promise<void> {
    const polled = Promise.all([this.poller?.stop(), this.reaper?.stop()]);
    this.grace = setTimeout(() => {
      this.isGraceOver = true;
      for (const { lease } of this.running) lease.abort(new ShuttingDown());
    }, this.options.graceMs ?? 0);
    await polled;
    await Promise.all([...this.running].map(async ({ ended }) => await ended));
    clearTimeout(this.grace);
  }

  private async poll(): Promise<void> {
    const { concurrency, claim } = this.options;
    const room = concurrency - this.running.size;
    this.isBehind = true;
    if (room <= 0) return;
    const running = [...this.running].map(({ row }) => row);
    const { rows, more } = await claim(randomUUID(), room, running);
    this.isBehind = more;
    for (const row of rows) this.run(row);
    if (more && rows.length > 0) this.wake();
  }

  private run(row: Row): void {
    const lease = new Lease(async () => await this.options.renew(row), this.logger);
    const ended = this.perform(row, lease)
      .catch((err: unknown) =>
        this.logger.error({ err, ...this.labels(row) }, 'a row stays locked until its lease expires'),
      )
      .finally(() => {
        this.running.delete(running);
        lease.stop();
        if (this.isBehind) this.wake();
      });
    const running = { row, lease, ended };
    this.running.add(running);
    if (this.isGraceOver) lease.abort(new ShuttingDown());
  }

  private async perform(row: Row, lease: Lease): Promise<void> {
    const { name, run, release, postpone } = this.options;
    const end = this.metrics.startTimer(name);
    try {
      await run(row, lease);
      end('done');
    } catch (error) {
      const reason: unknown = lease.signal.aborted ? lease.signal.reason : error;
      const isStopped = reason instanceof ShuttingDown || reason instanceof LeaseLost;
      end(isStopped ? 'left' : 'failed');
      if (isStopped && error !== reason)
        this.logger.warn({ err: error, ...this.labels(row) }, 'work failed while it was being stopped');
      if (reason instanceof ShuttingDown) await release?.(row);
      else if (reason instanceof LeaseLost)
        this.logger.info(this.labels(row), 'work was stopped or taken over by another process');
      else if (postpone === undefined) throw error;
      else {
        this.logger.warn({ err: error, ...this.labels(row) }, 'work failed and will be retried');
        await postpone(row);
      }
    }
  }

  private labels(row: Row): object {
    return { queue: this.options.name, ...(this.options.labels?.(row) ?? { id: row.id }) };
  }
}
