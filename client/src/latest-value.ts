/** Passes the newest value to a single reader. Skips values that the reader was too slow to receive. */
export class LatestValue<Value> implements AsyncIterable<Value, void> {
  private next: { value: Value } | undefined;
  private failure: { error: unknown } | undefined;
  private wake: (() => void) | undefined;

  set(value: Value): void {
    this.next = { value };
    this.wake?.();
  }

  /** Throws an error in the reader after it has received the newest value. */
  fail(error: unknown): void {
    this.failure = { error };
    this.wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Value, void> {
    for (;;) {
      const { next } = this;
      if (next !== undefined) {
        this.next = undefined;
        yield next.value;
      } else if (this.failure !== undefined) throw this.failure.error;
      else
        await new Promise<void>((resolve) => {
          this.wake = resolve;
        });
    }
  }
}
