import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { Lease, LeaseLost } from '../../common/leases/lease.js';
import { IntervalRunner } from '../../common/leases/interval-runner.js';
import type { QueueMetricsService } from './queue-metrics.service.js';

/** Time between two looks for rows when no wake-up comes. */
const LOOK_MS = 2_000;

/** The process stops, so another one is to go on with the row. */
export class ShuttingDown extends Error {}

/** A row that one process at a time works on. */
export interface QueuedRow {
  id: string;
}

export interface Claimed<Row> {
  rows: Row[];
  /** Whether rows may be left that could not be claimed yet: the queue looks again when one of its own has ended. */
  more: boolean;
}

export interface RowQueueOptions<Row extends QueuedRow> {
  /** Names the queue in wake-ups, logs and metrics. */
  name: string;
  /** Maximum number of rows that a process works on at once. */
  concurrency: number;
  /** How long rows may still be worked on when the process stops; default not at all. */
  graceMs?: number;
  /** SELECT of `waiting` and `oldest_seconds`, one row, for metrics and health; default none. */
  backlog?: string;
  /**
   * Makes `owner` the one who works on up to `room` rows.
   *
   * @param owner another one for each claim
   * @param running the rows that this process works on already
   */
  claim: (owner: string, room: number, running: readonly Row[]) => Promise<Claimed<Row>>;
  /** Extends the lease of a row. @throws LeaseLost */
  renew: (row: Row) => Promise<void>;
  /** Works on a row to its end, or until the signal of the lease aborts. */
  run: (row: Row, lease: Lease) => Promise<void>;
  /** Has a row whose work has failed tried again later; by default it is left to its lease. */
  postpone?: (row: Row) => Promise<void>;
  /** Gives a row back that the process cannot finish because it stops; by default it is left to its lease. */
  release?: (row: Row) => Promise<void>;
  /** What the log says of a row; default its id. */
  labels?: (row: Row) => object;
  /** Sees to rows whose processes are gone, where claims do not; at the start and every few seconds. */
  reap?: () => Promise<void>;
}

interface Running<Row> {
  row: Row;
  lease: Lease;
  ended: Promise<void>;
}

/**
 * Works on the rows of a table: claims those that wait while there is room, keeps the lease of each, and gives them back when the
 * process stops. The rows are the truth. A wake-up only makes the next look come sooner, so one that is lost costs two seconds.
 */
export class RowQueue<Row extends QueuedRow> {
  /** A row is here twice when it was taken from this process and came back to it. */
  private readonly running = new Set<Running<Row>>();
  private looks: IntervalRunner | undefined;
  private reaper: IntervalRunner | undefined;
  private isBehind = false;
  private isOver = false;
  private grace: NodeJS.Timeout | undefined;

  constructor(
    private readonly options: RowQueueOptions<Row>,
    private readonly metrics: QueueMetricsService,
    private readonly logger: Logger,
  ) {}

  /** Number of rows that this process works on. */
  get size(): number {
    return this.running.size;
  }

  start(): void {
    const { name, reap } = this.options;
    const failure = `the queue ${name} could not be looked at`;
    this.looks = new IntervalRunner(async () => await this.look(), failure, this.logger, LOOK_MS);
    if (reap !== undefined) this.reaper = new IntervalRunner(reap, failure, this.logger);
  }

  /** Looks for rows now. */
  wake(): void {
    this.looks?.wake();
  }

  /** Stops the work on a row that has ended elsewhere, if it runs here. */
  abandon(id: string): void {
    for (const { row, lease } of this.running) if (row.id === id) lease.abort(new LeaseLost());
  }

  /** Claims no more rows. What runs ends within the grace period or is given back; resolves when nothing runs any more. */
  async stop(): Promise<void> {
    const looked = Promise.all([this.looks?.stop(), this.reaper?.stop()]);
    this.grace = setTimeout(() => {
      this.isOver = true;
      for (const { lease } of this.running) lease.abort(new ShuttingDown());
    }, this.options.graceMs ?? 0);
    await looked;
    await Promise.all([...this.running].map(async ({ ended }) => await ended));
    clearTimeout(this.grace);
  }

  private async look(): Promise<void> {
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
      .catch((err: unknown) => this.logger.error({ err, ...this.labels(row) }, 'a row is left to its lease'))
      .finally(() => {
        this.running.delete(running);
        lease.stop();
        if (this.isBehind) this.wake();
      });
    const running = { row, lease, ended };
    this.running.add(running);
    if (this.isOver) lease.abort(new ShuttingDown());
  }

  private async perform(row: Row, lease: Lease): Promise<void> {
    const { name, run, release, postpone } = this.options;
    const end = this.metrics.startTimer(name);
    try {
      await run(row, lease);
      end('done');
    } catch (error) {
      const reason: unknown = lease.signal.aborted ? lease.signal.reason : error;
      const isLeft = reason instanceof ShuttingDown || reason instanceof LeaseLost;
      end(isLeft ? 'left' : 'failed');
      if (isLeft && error !== reason)
        this.logger.warn({ err: error, ...this.labels(row) }, 'work has failed as it was given up');
      if (reason instanceof ShuttingDown) await release?.(row);
      else if (reason instanceof LeaseLost)
        this.logger.info(this.labels(row), 'work was stopped or went to another process');
      else if (postpone === undefined) throw error;
      else {
        this.logger.warn({ err: error, ...this.labels(row) }, 'work has failed and is tried again later');
        await postpone(row);
      }
    }
  }

  private labels(row: Row): object {
    return { queue: this.options.name, ...(this.options.labels?.(row) ?? { id: row.id }) };
  }
}
