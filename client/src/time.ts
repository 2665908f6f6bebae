/** Callbacks by signal. They share a listener per signal, because Node warns of a leak at more than ten listeners. */
const callbacksBySignal = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls a function when a signal is aborted. Returns a function that removes the callback. */
function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const callbacks = callbacksBySignal.get(signal) ?? new Set<() => void>();
  if (!callbacksBySignal.has(signal)) {
    callbacksBySignal.set(signal, callbacks);
    signal.addEventListener('abort', () => callbacks.forEach((each) => each()), { once: true });
  }
  callbacks.add(callback);
  return () => callbacks.delete(callback);
}

/** Waits for a number of milliseconds. @throws the signal's reason as soon as the signal is aborted */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      unsubscribe?.();
      resolve();
    }, ms);
    const unsubscribe = signal && onAbort(signal, abort);
  });
}

/** Signal that can be aborted directly and follows an outer signal. */
export class LinkedSignal {
  /**
   * Request that uses this signal. Node cannot abort a request that was garbage collected, whether answered or not
   * (github.com/nodejs/undici/issues/4068).
   */
  request: Request | undefined;
  private readonly controller = new AbortController();
  private readonly unsubscribe: (() => void) | undefined;

  constructor(outer: AbortSignal | undefined) {
    if (outer?.aborted === true) this.controller.abort(outer.reason);
    else this.unsubscribe = outer && onAbort(outer, () => this.abort(outer.reason));
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
    this.unsubscribe?.();
  }
}

/** Linked signal that is also aborted after a period without activity. */
export class Watchdog extends LinkedSignal {
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** @param timeoutMs maximum time without activity */
  constructor(
    outer: AbortSignal | undefined,
    private readonly timeoutMs: number,
  ) {
    super(outer);
    this.refresh();
  }

  /** Records activity and restarts the timer. */
  refresh(): void {
    this.stopTimer();
    if (this.signal.aborted) return;
    const expire = (): void =>
      this.abort(new DOMException(`No data received for ${this.timeoutMs} ms`, 'TimeoutError'));
    this.timer = setTimeout(expire, this.timeoutMs);
  }

  /** Stops the timer. The signal still follows the outer signal. */
  stopTimer(): void {
    clearTimeout(this.timer);
  }

  override release(): void {
    this.stopTimer();
    super.release();
  }
}
