import type { Logger } from 'pino';

/** Same duration as `LEASE` in SQL. */
const LEASE_MS = 15_000;
const RENEWAL_MS = 5_000;
const MAX_DURATION_MS = 60 * 60_000;

/** Thrown if the caller no longer owns the work, because another process took it over or the work has ended. */
export class LeaseLost extends Error {}

export class WorkTooLong extends Error {}

/**
 * Keeps ownership of work while the work runs. `signal` aborts with {@link LeaseLost} if another process took the work or may
 * have taken it during a database outage. After an hour it aborts with {@link WorkTooLong}.
 */
export class Lease {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly startedAt = performance.now();
  private renewedAt = this.startedAt;
  private isRenewing = false;

  /** @param renew extends the lease in the database, or throws {@link LeaseLost} */
  constructor(
    private readonly renew: () => Promise<void>,
    private readonly logger: Logger,
  ) {
    this.timer = setInterval(() => void this.renewIfDue(), RENEWAL_MS);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Aborts the work for another reason. */
  abort(reason: unknown): void {
    this.controller.abort(reason);
  }

  /** Ends the lease when the work has ended, and aborts everything that still runs under it. */
  stop(): void {
    clearInterval(this.timer);
    this.controller.abort(new Error('The work has ended'));
  }

  private async renewIfDue(): Promise<void> {
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
      else this.logger.warn({ err: error }, 'the lease of work could not be renewed');
    } finally {
      this.isRenewing = false;
    }
  }
}
