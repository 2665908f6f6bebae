/** The functions that wait for each signal: Node warns of a leak at more than ten listeners of one signal. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls a function when a signal is aborted, until the returned function is called. */
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

/** Resolves after a time in milliseconds. @throws the signal's reason as soon as it is aborted */
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

/** A signal that is aborted when another one is, and by itself. */
export class LinkedSignal {
  /**
   * A request that the signal ends: Node loses the way to one that the garbage collector has taken, answered or not
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

  /** Follows the other signal no more. */
  release(): void {
    this.leave?.();
  }
}

/** A signal that is also aborted when nothing has happened for a time. */
export class Watchdog extends LinkedSignal {
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** @param patienceMs time without a sign of life */
  constructor(
    outer: AbortSignal | undefined,
    private readonly patienceMs: number,
  ) {
    super(outer);
    this.refresh();
  }

  /** A sign of life: the time begins anew. */
  refresh(): void {
    this.rest();
    if (this.signal.aborted) return;
    const bark = (): void => this.abort(new DOMException(`Nothing came for ${this.patienceMs} ms`, 'TimeoutError'));
    this.timer = setTimeout(bark, this.patienceMs);
  }

  /** Stops the clock; the other signal is still followed. */
  rest(): void {
    clearTimeout(this.timer);
  }

  override release(): void {
    this.rest();
    super.release();
  }
}
