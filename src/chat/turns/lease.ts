import type { Logger } from 'pino';
import { LEASE_MS, LeaseLost, RENEWAL_MS } from './turns.service.js';

/**
 * Keeps a turn while it runs. `signal` aborts with {@link LeaseLost} when another process has the turn, or when the
 * database could not be reached for so long that another may have it.
 */
export class Lease {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private renewedAt = performance.now();
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

  stop(): void {
    clearInterval(this.timer);
  }

  private async beat(): Promise<void> {
    if (performance.now() - this.renewedAt > LEASE_MS) this.abort(new LeaseLost());
    if (this.isRenewing) return;
    this.isRenewing = true;
    const startedAt = performance.now();
    try {
      await this.renew();
      this.renewedAt = startedAt;
    } catch (error) {
      if (error instanceof LeaseLost) this.abort(error);
      else this.logger.warn({ err: error }, 'a turn could not be kept alive');
    } finally {
      this.isRenewing = false;
    }
  }
}
