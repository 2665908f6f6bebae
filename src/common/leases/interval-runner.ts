import type { Logger } from 'pino';

/** Interval between checks for work whose process has died. */
const INTERVAL_MS = 5_000;

/**
 * Checks for pending work immediately, at intervals and whenever it is woken, until it is stopped. Checks never overlap. All
 * wake-ups during a check cause a single additional check.
 */
export class IntervalRunner {
  private isStopped = false;
  private isWoken = false;
  /** Ends the pause between two checks. */
  private goOn: () => void = () => undefined;
  private readonly running: Promise<void>;

  /**
   * @param check finds and handles pending work. An error is logged and does not stop later checks.
   * @param failure log message for such an error
   */
  constructor(
    private readonly check: () => Promise<void>,
    private readonly failure: string,
    private readonly logger: Logger,
    private readonly intervalMs = INTERVAL_MS,
  ) {
    this.running = this.run();
  }

  /** Requests another check, which starts as soon as the current check ends. */
  wake(): void {
    this.isWoken = true;
    this.goOn();
  }

  /** Resolves when the current check has ended. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.goOn();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.isStopped) {
      this.isWoken = false;
      try {
        await this.check();
      } catch (error) {
        this.logger.error({ err: error }, this.failure);
      }
      await this.pause();
    }
  }

  private async pause(): Promise<void> {
    if (this.isStopped || this.isWoken) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.intervalMs);
      this.goOn = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
