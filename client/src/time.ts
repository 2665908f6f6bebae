/** Resolves after a time in milliseconds. @throws the signal's reason as soon as it is aborted */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
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
  private readonly follow = (): void => this.abort(this.outer?.reason);

  constructor(private readonly outer: AbortSignal | undefined) {
    if (outer?.aborted === true) this.follow();
    outer?.addEventListener('abort', this.follow, { once: true });
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
    this.outer?.removeEventListener('abort', this.follow);
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
