import type { Readable } from 'node:stream';

/** Yields the bytes of a stream in chunks of `size` bytes, except for the last chunk. */
export async function* inChunks(body: Readable, size: number): AsyncGenerator<Buffer, undefined> {
  let held: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    for (let rest = chunk; rest.length > 0;) {
      const piece = rest.subarray(0, size - bytes);
      held.push(piece);
      bytes += piece.length;
      rest = rest.subarray(piece.length);
      if (bytes < size) continue;
      yield Buffer.concat(held);
      held = [];
      bytes = 0;
    }
  }
  if (bytes > 0) yield Buffer.concat(held);
  return undefined;
}
