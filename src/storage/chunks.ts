import type { Readable } from 'node:stream';

/** Yields the bytes of a stream in chunks of `size` bytes, except for the last chunk. */
export async function* inChunks(body: Readable, size: number): AsyncGenerator<Buffer, undefined> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    for (let rest = chunk; rest.length > 0;) {
      const piece = rest.subarray(0, size - bytes);
      pieces.push(piece);
      bytes += piece.length;
      rest = rest.subarray(piece.length);
      if (bytes < size) continue;
      yield Buffer.concat(pieces);
      pieces = [];
      bytes = 0;
    }
  }
  if (bytes > 0) yield Buffer.concat(pieces);
  return undefined;
}
