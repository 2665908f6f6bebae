import { unlessAborted } from './unless-aborted.js';

interface Running<Value> {
  result: Promise<Value>;
  abort: AbortController;
  /** Number of waiting callers. */
  waiting: number;
}

/** Runs work once for all concurrent callers, and aborts it when no caller is waiting any longer. */
export class SharedWork<Value> {
  private readonly running = new Map<string, Running<Value>>();

  /**
   * Waits for the work with this name and starts it if necessary. The work's own signal aborts when all its callers have left.
   *
   * @throws the reason of the signal if it aborts
   */
  async join(name: string, work: (signal: AbortSignal) => Promise<Value>, signal?: AbortSignal): Promise<Value> {
    signal?.throwIfAborted();
    const entry = this.running.get(name) ?? this.start(name, work);
    entry.waiting += 1;
    try {
      return await (signal === undefined ? entry.result : unlessAborted(entry.result, signal));
    } finally {
      entry.waiting -= 1;
      if (entry.waiting === 0) {
        this.forget(name, entry);
        entry.abort.abort(signal?.reason);
      }
    }
  }

  private start(name: string, work: (signal: AbortSignal) => Promise<Value>): Running<Value> {
    const abort = new AbortController();
    const entry = { result: work(abort.signal), abort, waiting: 0 };
    this.running.set(name, entry);
    return entry;
  }

  /** Forgets this work so that the next caller starts it again. */
  private forget(name: string, work: Running<Value>): void {
    if (this.running.get(name) === work) this.running.delete(name);
  }
}
