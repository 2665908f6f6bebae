import type { Readable } from 'node:stream';
import { DomainError } from '../common/errors/errors.js';

/** Maximum wait for the next bytes of a body. */
const PATIENCE_MS = 60_000;

/**
 * Yields the chunks of a body as long as data keeps arriving. If the reader stops, the rest stays unread, so that the sender
 * can still get a response.
 *
 * @throws DomainError 408 if nothing has arrived for `patienceMs`
 */
export async function* bodyWithTimeout(body: Readable, patienceMs = PATIENCE_MS): AsyncGenerator<Buffer> {
  const pieces = body.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>;
  try {
    for (;;) {
      const piece = await inTime(pieces.next(), patienceMs);
      if (piece.done === true) return;
      yield piece.value;
    }
  } finally {
    // Not awaited, because it would not settle before the next chunk or the end of the body.
    void pieces.return?.();
  }
}

async function inTime<Value>(coming: Promise<Value>, patienceMs: number): Promise<Value> {
  let patience: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    patience = setTimeout(
      () =>
        reject(new DomainError('body_too_slow', 'The request body stalled; send it again', { Connection: 'close' })),
      patienceMs,
    );
  });
  try {
    return await Promise.race([coming, late]);
  } finally {
    clearTimeout(patience);
  }
}
