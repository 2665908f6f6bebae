import { isUtf8 } from 'node:buffer';
import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { TextDecoder } from 'node:util';
import { TaskProblem } from '../tasks.js';
import { MAX_ROW_BYTES } from '../limits.js';

/** A text file that is read as UTF-8. */
export interface TextFile {
  path: string;
  /** Where the text starts, behind its byte order mark. */
  start: number;
  /** As it was when it came: `utf-8`, `utf-16le`, `utf-16be` or `windows-1252`. */
  encoding: string;
}

const CHUNK_BYTES = 4 * 1024 ** 2;
/** The first bytes of a file, by which it is told what it may be. */
export const SAMPLE_BYTES = 1024 ** 2;
/** Control characters that texts have: tab, line feed, vertical tab, form feed, carriage return, substitute, escape. */
const CONTROLS_OF_TEXTS = new Set([9, 10, 11, 12, 13, 26, 27]);
const FIRST_PRINTABLE = 32;

/** Thrown by {@link readRows} for bytes that are not UTF-8. */
class NotUtf8 extends Error {}

/** Tells the encoding by the byte order mark and the first bytes; other encodings than UTF-8 are written anew to `copy`. */
async function openText(from: string, copy: string, signal?: AbortSignal): Promise<TextFile> {
  const sample = await readStart(from);
  const mark = sample.subarray(0, 2).toString('hex');
  if (mark === 'fffe') return recode(from, copy, 'utf-16le', signal);
  if (mark === 'feff') return recode(from, copy, 'utf-16be', signal);
  if (!isUtf8(sample.subarray(0, endOfCharacters(sample, sample.length)))) {
    return recode(from, copy, 'windows-1252', signal);
  }
  const hasMark = sample.subarray(0, 3).toString('hex') === 'efbbbf';
  return { path: from, start: hasMark ? 3 : 0, encoding: 'utf-8' };
}

/**
 * Runs on a file's text, and once more when it turns out only then that it is not UTF-8.
 *
 * @param encoding encoding that the caller knows; by default it is detected
 */
export async function withText<Answer>(
  from: string,
  copy: string,
  run: (file: TextFile) => Promise<Answer>,
  signal?: AbortSignal,
  encoding?: string,
): Promise<Answer> {
  if (encoding !== undefined) return run(await recodeAs(encoding, from, copy, signal));
  try {
    return await run(await openText(from, copy, signal));
  } catch (error) {
    if (!(error instanceof NotUtf8)) throw error;
    return run(await recode(from, copy, 'windows-1252', signal));
  }
}

/** Up to {@link SAMPLE_BYTES} of a file's start. */
export async function readStart(path: string, start = 0): Promise<Buffer> {
  const file = await open(path);
  try {
    const sample = Buffer.alloc(SAMPLE_BYTES);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(sample, length, sample.length - length, start + length);
      if (bytesRead === 0) return sample.subarray(0, length);
      length += bytesRead;
    }
  } finally {
    await file.close();
  }
}

/** @throws TaskProblem `unreadable` when it is not the text that its encoding says */
async function recode(from: string, copy: string, encoding: string, signal?: AbortSignal): Promise<TextFile> {
  const decoder = new TextDecoder(encoding, { fatal: encoding !== 'windows-1252' });
  async function* decoded(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
    for await (const chunk of chunks) {
      if (encoding === 'windows-1252' && hasControls(chunk)) throw notText();
      yield decode(decoder, chunk);
    }
    yield decode(decoder);
  }
  await pipeline(createReadStream(from, { highWaterMark: CHUNK_BYTES }), decoded, createWriteStream(copy), { signal });
  return { path: copy, start: 0, encoding };
}

/** @throws TaskProblem `invalid_dialect` when the file is not written in that encoding */
async function recodeAs(encoding: string, from: string, copy: string, signal?: AbortSignal): Promise<TextFile> {
  try {
    return await recode(from, copy, new TextDecoder(encoding).encoding, signal);
  } catch (error) {
    if (!(error instanceof TaskProblem)) throw error;
    throw new TaskProblem('invalid_dialect', `The file is not written in ${encoding}. Choose another encoding.`, {
      loc: ['encoding'],
    });
  }
}

function decode(decoder: TextDecoder, chunk?: Buffer): string {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
  } catch {
    throw notText();
  }
}

/**
 * Calls `onRow` for each place of the text where a row starts; it answers where the next one does, or -1 for more bytes. `end` is
 * where the bytes that are there end.
 *
 * @throws NotUtf8 for bytes that are none
 * @throws TaskProblem `unreadable` for binary files and rows that are too long
 */
export async function readRows(
  file: TextFile,
  onRow: (bytes: Buffer, at: number, end: number, isLast: boolean) => number,
  signal?: AbortSignal,
): Promise<void> {
  const handle = await open(file.path);
  try {
    let bytes = Buffer.allocUnsafeSlow(2 * CHUNK_BYTES);
    let end = 0;
    let checked = 0;
    let position = file.start;
    for (;;) {
      signal?.throwIfAborted();
      const { bytesRead } = await handle.read(bytes, end, Math.min(CHUNK_BYTES, bytes.length - end), position);
      position += bytesRead;
      end += bytesRead;
      const isLast = bytesRead === 0;
      const checkedEnd = isLast ? end : endOfCharacters(bytes, end);
      if (checkedEnd > checked) {
        const fresh = bytes.subarray(checked, checkedEnd);
        if (fresh.includes(0)) throw notText();
        if (!isUtf8(fresh)) throw new NotUtf8();
        checked = checkedEnd;
      }
      let at = 0;
      while (at < end) {
        const next = onRow(bytes, at, end, isLast);
        if (next < 0) break;
        at = next;
      }
      if (isLast) return;
      bytes.copyWithin(0, at, end);
      end -= at;
      checked -= at;
      if (end > MAX_ROW_BYTES) {
        throw new TaskProblem('unreadable', `A row has more than ${MAX_ROW_BYTES / 1024 ** 2} MiB`);
      }
      if (bytes.length - end < CHUNK_BYTES) {
        const larger = Buffer.allocUnsafeSlow(2 * bytes.length);
        bytes.copy(larger, 0, 0, end);
        bytes = larger;
      }
    }
  } finally {
    await handle.close();
  }
}

/** The end of the last whole character of UTF-8, so that one that goes on is not taken for a broken one. */
function endOfCharacters(bytes: Uint8Array, end: number): number {
  for (let at = end - 1; at >= Math.max(0, end - 3); at -= 1) {
    const byte = bytes[at]!;
    if (byte < 0x80) return end;
    if (byte >= 0xc0) return at;
  }
  return end;
}

function hasControls(bytes: Uint8Array): boolean {
  return bytes.some((byte) => byte < FIRST_PRINTABLE && !CONTROLS_OF_TEXTS.has(byte));
}

export const notText = (): TaskProblem =>
  new TaskProblem('unreadable', 'The file is not text, or its encoding is not known');
