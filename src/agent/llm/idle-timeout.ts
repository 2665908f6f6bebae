import { silent } from './provider-fault.js';

/** Aborts a request that has received nothing for a while. */
export class IdleTimeout {
  private readonly controller = new AbortController();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly seconds: number) {
    this.restart();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Restarts the timeout after data was received. */
  restart(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.controller.abort(silent(this.seconds)), this.seconds * 1000);
  }

  /** Stops the timeout and aborts the request, because it has ended or its result is no longer needed. */
  stop(): void {
    clearTimeout(this.timer);
    this.controller.abort(new Error('The request has ended'));
  }
}
