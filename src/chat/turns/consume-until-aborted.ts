import { unlessAborted } from '../../common/leases/unless-aborted.js';

/**
 * Hands each value of `source` to `take`, waiting for it, until the source ends.
 *
 * @throws the signal's reason as soon as it aborts, even when the source or `take` never comes back.
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

/** Tells a source that nobody listens any more; its reply is ignored. */
function close<Value>(iterator: AsyncIterator<Value>): void {
  iterator.return?.().catch(() => undefined);
}
