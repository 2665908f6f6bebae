import type { Readable } from 'node:stream';
import { DomainError } from '../common/errors/errors.js';

/** Longest wait for the next bytes of a body. */
const PATIENCE_MS = 60_000;

/**
 * The pieces of a body that keep coming. Whoever stops reading leaves the rest unread, so that its sender can still be answered.
 *
 * @throws DomainError 408 when nothing has come for `patienceMs`
 */
export async function* movingBody(body: Readable, patienceMs = PATIENCE_MS): AsyncGenerator<Buffer> {
  const pieces = body.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>;
  try {
    for (;;) {
      const piece = await inTime(pieces.next(), patienceMs);
      if (piece.done === true) return;
      yield piece.value;
    }
  } finally {
    // Not waited for: while a piece is awaited, this ends with the body only.
    void pieces.return?.();
  }
}

async function inTime<Value>(coming: Promise<Value>, patienceMs: number): Promise<Value> {
  let patience: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    patience = setTimeout(
      () => reject(new DomainError('body_too_slow', 'The body stood still', { Connection: 'close' })),
      patienceMs,
    );
  });
  try {
    return await Promise.race([coming, late]);
  } finally {
    clearTimeout(patience);
  }
}
