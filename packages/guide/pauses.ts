import { setImmediate as breathe } from 'node:timers/promises';

/** How long the guide works before the other work of the process gets its turn, in milliseconds. */
const AT_ONCE_MS = 10;

/** Work of many small steps; each step is one call, and some of the calls wait for the other work of the process. */
export class Pauses {
  private since = performance.now();

  async step(): Promise<void> {
    if (performance.now() - this.since < AT_ONCE_MS) return;
    await breathe();
    this.since = performance.now();
  }
}
