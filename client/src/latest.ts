/** Hands the newest of several values to one reader; those that it was too slow for are left out. */
export class Latest<Value> implements AsyncIterable<Value, void> {
  private next: { value: Value } | undefined;
  private failure: { error: unknown } | undefined;
  private wake: (() => void) | undefined;

  set(value: Value): void {
    this.next = { value };
    this.wake?.();
  }

  /** Ends the reading with an error, once the newest value was read. */
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
