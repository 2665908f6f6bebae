import { silent } from './provider-fault.js';

/** Aborts a request if no data arrives for the given number of seconds. */
export class IdleTimeout {
  private readonly controller = new AbortController();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly seconds: number) {
    this.restart();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Restarts the timeout. Must be called whenever data arrives. */
  restart(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.controller.abort(silent(this.seconds)), this.seconds * 1000);
  }

  /** Stops the timeout and aborts the request if it is still running. */
  stop(): void {
    clearTimeout(this.timer);
    this.controller.abort(new Error('The request has ended'));
  }
}
