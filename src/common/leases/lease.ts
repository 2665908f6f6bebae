import type { Logger } from 'pino';

/** As `LEASE` in SQL. */
const LEASE_MS = 15_000;
const RENEWAL_MS = 5_000;
const MAX_DURATION_MS = 60 * 60_000;

/** The work is no longer the writer's: another process took it over, or it ended. */
export class LeaseLost extends Error {}

/** The work took longer than allowed. */
export class WorkTooLong extends Error {}

/**
 * Keeps a piece of work while it runs. `signal` aborts with {@link LeaseLost} when another process has the work or when
 * the database could not be reached for so long that another may have it, and with {@link WorkTooLong} after an hour.
 */
export class Lease {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly startedAt = performance.now();
  private renewedAt = this.startedAt;
  private isRenewing = false;

  /** @param renew extends the work's lease in the database, or throws {@link LeaseLost} */
  constructor(
    private readonly renew: () => Promise<void>,
    private readonly logger: Logger,
  ) {
    this.timer = setInterval(() => void this.beat(), RENEWAL_MS);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Aborts the work for another reason. */
  abort(reason: unknown): void {
    this.controller.abort(reason);
  }

  /** The work is over: stops whatever still runs for it. */
  stop(): void {
    clearInterval(this.timer);
    this.controller.abort(new Error('The work is over'));
  }

  private async beat(): Promise<void> {
    const now = performance.now();
    if (now - this.renewedAt > LEASE_MS) this.abort(new LeaseLost());
    if (now - this.startedAt > MAX_DURATION_MS) this.abort(new WorkTooLong());
    if (this.isRenewing) return;
    this.isRenewing = true;
    try {
      await this.renew();
      this.renewedAt = now;
    } catch (error) {
      if (error instanceof LeaseLost) this.abort(error);
      else this.logger.warn({ err: error }, 'work could not be kept alive');
    } finally {
      this.isRenewing = false;
    }
  }
}
