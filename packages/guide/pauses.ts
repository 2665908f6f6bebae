import { setImmediate as breathe } from 'node:timers/promises';

/** Maximum time in milliseconds that the guide works without yielding to the other work of the process. */
const AT_ONCE_MS = 10;

/**
 * Yields regularly during work of many small steps. Each step calls `step`, which sometimes waits for other work of the process.
 */
export class Pauses {
  private since = performance.now();

  async step(): Promise<void> {
    if (performance.now() - this.since < AT_ONCE_MS) return;
    await breathe();
    this.since = performance.now();
  }
}
