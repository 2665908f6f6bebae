import { silent } from './provider-fault.js';

/** Aborts a request when nothing has been heard for a while. */
export class IdleTimeout {
  private readonly controller = new AbortController();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly seconds: number) {
    this.heard();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Something came: the time begins again. */
  heard(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.controller.abort(silent(this.seconds)), this.seconds * 1000);
  }

  /** The request is over, or nobody wants it any more. */
  stop(): void {
    clearTimeout(this.timer);
    this.controller.abort(new Error('The request is over'));
  }
}
