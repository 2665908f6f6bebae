import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';

/** How often it is checked for work whose process is gone. */
const INTERVAL_MS = 5_000;

/** Looks for work that nobody else does, such as that of a process which is gone: at once and regularly until it is stopped. */
export class IntervalRunner {
  private readonly stopping = new AbortController();
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

  /** Resolves when the running check has ended. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        await this.look();
      } catch (error) {
        this.logger.error({ err: error }, this.failure);
      }
      await pause(this.intervalMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
