import { unlessAborted } from './unless-aborted.js';

interface Running<Value> {
  result: Promise<Value>;
  abort: AbortController;
  /** How many wait for it. */
  waiting: number;
}

/** Work that is done once for all who want it at the same time, and that ends when none of them waits any more. */
export class SharedWork<Value> {
  private readonly running = new Map<string, Running<Value>>();

  /**
   * Waits for the work of that name, which starts if it does not run yet. Its own signal aborts when all who wait have gone.
   *
   * @throws the signal's reason when it aborts
   */
  async join(name: string, work: (signal: AbortSignal) => Promise<Value>, signal?: AbortSignal): Promise<Value> {
    signal?.throwIfAborted();
    const joined = this.running.get(name) ?? this.start(name, work);
    joined.waiting += 1;
    try {
      return await (signal === undefined ? joined.result : unlessAborted(joined.result, signal));
    } finally {
      joined.waiting -= 1;
      if (joined.waiting === 0) {
        this.forget(name, joined);
        joined.abort.abort(signal?.reason);
      }
    }
  }

  private start(name: string, work: (signal: AbortSignal) => Promise<Value>): Running<Value> {
    const abort = new AbortController();
    const started = { result: work(abort.signal), abort, waiting: 0 };
    this.running.set(name, started);
    return started;
  }

  /** Whoever comes next starts it anew. */
  private forget(name: string, work: Running<Value>): void {
    if (this.running.get(name) === work) this.running.delete(name);
  }
}
