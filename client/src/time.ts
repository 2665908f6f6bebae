/** Callbacks by signal. They share a listener per signal, because Node warns of a leak at more than ten listeners. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls a function when a signal is aborted. Returns a function that removes the callback. */
function onAbort(signal: AbortSignal, call: () => void): () => void {
  let calls = waiting.get(signal);
  if (calls === undefined) {
    const all = new Set<() => void>();
    signal.addEventListener('abort', () => all.forEach((one) => one()), { once: true });
    waiting.set(signal, (calls = all));
  }
  const those = calls;
  those.add(call);
  return () => those.delete(call);
}

/** Waits for a number of milliseconds. @throws the signal's reason as soon as it is aborted */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      leave?.();
      resolve();
    }, ms);
    const leave = signal && onAbort(signal, abort);
  });
}

/** Signal that can be aborted directly and follows an outer signal. */
export class LinkedSignal {
  /**
   * Request that uses this signal. Node cannot abort a request that was garbage collected, whether answered or not
   * (github.com/nodejs/undici/issues/4068).
   */
  kept: Request | undefined;
  private readonly controller = new AbortController();
  private readonly leave: (() => void) | undefined;

  constructor(outer: AbortSignal | undefined) {
    if (outer?.aborted === true) this.controller.abort(outer.reason);
    else this.leave = outer && onAbort(outer, () => this.abort(outer.reason));
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  abort(reason?: unknown): void {
    this.release();
    this.controller.abort(reason);
  }

  /** Stops following the outer signal. */
  release(): void {
    this.leave?.();
  }
}

/** Linked signal that is also aborted after a period without activity. */
export class Watchdog extends LinkedSignal {
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** @param patienceMs maximum time without activity */
  constructor(
    outer: AbortSignal | undefined,
    private readonly patienceMs: number,
  ) {
    super(outer);
    this.refresh();
  }

  /** Records activity and restarts the timer. */
  refresh(): void {
    this.rest();
    if (this.signal.aborted) return;
    const bark = (): void => this.abort(new DOMException(`No data received for ${this.patienceMs} ms`, 'TimeoutError'));
    this.timer = setTimeout(bark, this.patienceMs);
  }

  /** Stops the timer. The signal still follows the outer signal. */
  rest(): void {
    clearTimeout(this.timer);
  }

  override release(): void {
    this.rest();
    super.release();
  }
}
