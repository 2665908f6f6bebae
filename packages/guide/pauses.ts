import { setImmediate as breathe } from 'node:timers/promises';

/** Maximum time in milliseconds that the guide runs before it yields to other work in the process. */
const AT_ONCE_MS = 10;

/** Lets other work run regularly during a long series of small steps. Call `step` before each step. */
export class Pauses {
  private since = performance.now();

  async step(): Promise<void> {
    if (performance.now() - this.since < AT_ONCE_MS) return;
    await breathe();
    this.since = performance.now();
  }
}
