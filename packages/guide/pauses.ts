import { setImmediate as breathe } from 'node:timers/promises';

/** Maximum time in milliseconds that the guide works without yielding to other work in the process. */
const AT_ONCE_MS = 10;

/**
 * Yields regularly during work that consists of many small steps. Each step calls `step`, which lets other work run when it is
 * due.
 */
export class Pauses {
  private since = performance.now();

  async step(): Promise<void> {
    if (performance.now() - this.since < AT_ONCE_MS) return;
    await breathe();
    this.since = performance.now();
  }
}
