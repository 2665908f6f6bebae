import type { Logger } from 'pino';

/** How often it is checked for work whose process is gone. */
const INTERVAL_MS = 5_000;

/**
 * Looks for work that waits: at once, regularly, and whenever it is woken, until it is stopped. Looks come one after the
 * other; of those that are asked for while one runs, one more is enough.
 */
export class IntervalRunner {
  private isStopped = false;
  private isWoken = false;
  /** Ends the pause between two looks. */
  private goOn: () => void = () => undefined;
  private readonly running: Promise<void>;

  /**
   * @param look finds such work and sees to it; one that fails is logged, and the next one comes all the same
   * @param failure what the log then says
   */
  constructor(
    private readonly look: () => Promise<void>,
    private readonly failure: string,
    private readonly logger: Logger,
    private readonly intervalMs = INTERVAL_MS,
  ) {
    this.running = this.run();
  }

  /** Has it look again, as soon as the look that runs is over. */
  wake(): void {
    this.isWoken = true;
    this.goOn();
  }

  /** Resolves when the running check has ended. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.goOn();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.isStopped) {
      this.isWoken = false;
      try {
        await this.look();
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
