import { unlessAborted } from '../../common/leases/unless-aborted.js';

/**
 * Calls `take` with each value of `source`, one at a time, until the source ends.
 *
 * @throws the reason of the signal as soon as it aborts, even if the source or `take` never returns
 */
export async function consumeUntilAborted<Value>(
  source: AsyncIterable<Value>,
  signal: AbortSignal,
  take: (value: Value) => Promise<void>,
): Promise<void> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const step = await unlessAborted(iterator.next(), signal);
      if (step.done === true) return;
      await unlessAborted(take(step.value), signal);
    }
  } catch (error) {
    close(iterator);
    throw error;
  }
}

/** Closes an abandoned source and ignores the outcome. */
function close<Value>(iterator: AsyncIterator<Value>): void {
  iterator.return?.().catch(() => undefined);
}
