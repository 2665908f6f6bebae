import type { Logger } from 'pino';
import { LEASE_MS, LeaseLost, RENEWAL_MS } from './turns.service.js';

const LONGEST_TURN_MS = 60 * 60_000;

/** The turn would not come to an end. */
export class TurnTooLong extends Error {}

/**
 * Keeps a turn while it runs. `signal` aborts with {@link LeaseLost} when another process has the turn or when the
 * database could not be reached for so long that another may have it, and with {@link TurnTooLong} after an hour.
 */
export class Lease {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly startedAt = performance.now();
  private renewedAt = this.startedAt;
  private isRenewing = false;

  constructor(
    private readonly renew: () => Promise<void>,
    private readonly logger: Logger,
  ) {
    this.timer = setInterval(() => void this.beat(), RENEWAL_MS);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Aborts the turn's work for another reason. */
  abort(reason: unknown): void {
    this.controller.abort(reason);
  }

  /** The turn is over, and whatever is still going on for it. */
  stop(): void {
    clearInterval(this.timer);
    this.controller.abort(new Error('The turn is over'));
  }

  private async beat(): Promise<void> {
    const now = performance.now();
    if (now - this.renewedAt > LEASE_MS) this.abort(new LeaseLost());
    if (now - this.startedAt > LONGEST_TURN_MS) this.abort(new TurnTooLong());
    if (this.isRenewing) return;
    this.isRenewing = true;
    try {
      await this.renew();
      this.renewedAt = now;
    } catch (error) {
      if (error instanceof LeaseLost) this.abort(error);
      else this.logger.warn({ err: error }, 'a turn could not be kept alive');
    } finally {
      this.isRenewing = false;
    }
  }
}
