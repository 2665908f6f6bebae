import { isUtf8 } from 'node:buffer';
import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { type Decoder, decoderOf } from '../code-pages.js';
import { TaskProblem } from '../tasks.js';
import { MAX_ROW_BYTES } from '../limits.js';
import { surveyEncoding } from './encodings.js';

/** Text file, converted to UTF-8 if necessary. */
export interface TextFile {
  path: string;
  /** Byte offset at which the text starts after a byte order mark. */
  start: number;
  /** Encoding of the original file, named as in the Encoding Standard: `utf-8`, `windows-1252`, `shift_jis`. */
  encoding: string;
  /** Other encodings for which the bytes are also valid. */
  otherEncodings: string[];
}

export interface TextOptions {
  /** Encoding from the request. Detected if absent. */
  encoding?: string | undefined;
  /** Whether the format only allows Unicode. All other encodings are then rejected. */
  isUnicode?: boolean;
  /** Whether invalid bytes are replaced with U+FFFD. Otherwise they are rejected. */
  ignoreErrors?: boolean;
}

const CHUNK_BYTES = 4 * 1024 ** 2;
/** Number of bytes that are read from the start of a file to detect its type and encoding. */
export const SAMPLE_BYTES = 1024 ** 2;
/**
 * Control characters that occur in text files: tab, line feed, vertical tab, form feed, carriage return, substitute, escape.
 */
const CONTROLS_OF_TEXTS = new Set([9, 10, 11, 12, 13, 26, 27]);
const FIRST_PRINTABLE = 32;
const JAPANESE_ESCAPE = /\x1b\$[@B]/;

const remedyOf = ({ isUnicode = false }: TextOptions): string =>
  isUnicode ? 'Save the file as UTF-8' : 'Save the file as UTF-8, or state its encoding as dialect.encoding';

/** Thrown by {@link readRows} for bytes that are not UTF-8. */
class NotUtf8 extends Error {}

/**
 * Detects the encoding by the byte order mark and the first bytes. Text in encodings other than UTF-8 is converted to UTF-8 in
 * `copy`.
 */
async function openText(from: string, copy: string, options: TextOptions, signal?: AbortSignal): Promise<TextFile> {
  const { encoding, isUnicode = false } = options;
  const sample = await readStart(from);
  const kind = binaryKind(sample);
  if (kind !== undefined) throw new TaskProblem('unreadable', `The file is ${kind}`);
  const mark = sample.subarray(0, 2).toString('hex');
  if (encoding === undefined && mark === 'fffe') return recode(from, copy, 'utf-16le', options, signal);
  if (encoding === undefined && mark === 'feff') return recode(from, copy, 'utf-16be', options, signal);
  if (encoding !== undefined && !/^utf-?8$/i.test(encoding)) return recode(from, copy, encoding, options, signal);
  if (!isUtf8(sample.subarray(0, endOfCharacters(sample, sample.length)))) throw new NotUtf8();
  // The escape sequences of ISO-2022-JP are ASCII, so the text would pass as UTF-8.
  if (encoding === undefined && !isUnicode && JAPANESE_ESCAPE.test(sample.toString('latin1')))
    return recode(from, copy, 'iso-2022-jp', options, signal);
  return { path: from, start: hasMark(sample) ? 3 : 0, encoding: 'utf-8', otherEncodings: [] };
}

/**
 * Opens a text file whose bytes are not valid UTF-8.
 *
 * @throws TaskProblem `unreadable`, or `invalid_dialect` if the request specifies UTF-8
 */
async function openLegacyText(
  from: string,
  copy: string,
  options: TextOptions,
  signal?: AbortSignal,
): Promise<TextFile> {
  const { encoding, isUnicode = false, ignoreErrors = false } = options;
  const survey = await surveyEncoding(from, signal);
  const shouldBeUtf8 = encoding !== undefined || hasMark(await readStart(from)) || survey.isBrokenUtf8;
  if (!shouldBeUtf8 && !isUnicode && survey.encoding !== undefined) {
    const file = await recode(from, copy, survey.encoding, { ignoreErrors }, signal);
    return { ...file, otherEncodings: survey.others };
  }
  if (shouldBeUtf8 && ignoreErrors) return recode(from, copy, 'utf-8', { ignoreErrors }, signal);
  const { line, excerpt } = survey;
  const place = `near ${JSON.stringify(excerpt)}`;
  if (encoding !== undefined) {
    const sentence = `Line ${line} has bytes that are not UTF-8, ${place}. Choose another encoding.`;
    throw new TaskProblem('invalid_dialect', sentence, { row: line, loc: ['encoding'] });
  }
  throw new TaskProblem(
    'unreadable',
    shouldBeUtf8 || isUnicode
      ? `Line ${line} has bytes that are not UTF-8, ${place}. ${remedyOf(options)}`
      : `The encoding of the file is unknown${mayBe(survey.others)}. Line ${line} is not UTF-8, ${place}. ${remedyOf(options)}`,
    { row: line },
  );
}

const mayBe = (encodings: readonly string[]): string =>
  encodings.length === 0 ? '' : `, but it may be ${encodings.join(' or ')}`;

/** Calls `run` with a file's text, and calls it again if the text turns out not to be UTF-8. */
export async function withText<Answer>(
  from: string,
  copy: string,
  run: (file: TextFile) => Promise<Answer>,
  signal?: AbortSignal,
  options: TextOptions = {},
): Promise<Answer> {
  try {
    return await run(await openText(from, copy, options, signal));
  } catch (error) {
    if (!(error instanceof NotUtf8)) throw error;
    return run(await openLegacyText(from, copy, options, signal));
  }
}

/** Returns up to {@link SAMPLE_BYTES} bytes from a file, beginning at `start`. */
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

/**
 * @throws TaskProblem `unreadable` if the text is not in this encoding, `invalid_dialect` if the request specifies the encoding
 */
async function recode(
  from: string,
  copy: string,
  encoding: string,
  options: TextOptions,
  signal?: AbortSignal,
): Promise<TextFile> {
  const { encoding: stated, ignoreErrors = false } = options;
  const decoder = requireDecoder(encoding, !ignoreErrors);
  const decode = (chunk?: Buffer): string => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      const sentence = `The file is not encoded in ${decoder.encoding}`;
      throw stated === undefined
        ? new TaskProblem('unreadable', `${sentence}. ${remedyOf(options)}`)
        : new TaskProblem('invalid_dialect', `${sentence}. Choose another encoding.`, { loc: ['encoding'] });
    }
  };
  async function* decoded(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
    for await (const chunk of chunks) {
      if (!decoder.encoding.startsWith('utf-16') && hasControls(chunk)) throw notText();
      yield decode(chunk);
    }
    yield decode();
  }
  await pipeline(createReadStream(from, { highWaterMark: CHUNK_BYTES }), decoded, createWriteStream(copy), { signal });
  return { path: copy, start: 0, encoding: decoder.encoding, otherEncodings: [] };
}

function requireDecoder(encoding: string, fatal: boolean): Decoder {
  try {
    return decoderOf(encoding, fatal);
  } catch {
    throw new TaskProblem('unreadable', `The encoding ${JSON.stringify(encoding)} is unknown. ${remedyOf({})}`);
  }
}

/**
 * Calls `onRow` for the start of each row. `onRow` returns the start of the next row, or -1 if it needs more bytes. Its `end`
 * argument is the end of the available bytes.
 *
 * @throws NotUtf8 if the bytes are not UTF-8
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

/**
 * Returns the end of the last complete UTF-8 character, so that a character split by the end of the chunk does not count as
 * invalid.
 */
function endOfCharacters(bytes: Uint8Array, end: number): number {
  for (let at = end - 1; at >= Math.max(0, end - 3); at -= 1) {
    const byte = bytes[at]!;
    if (byte < 0x80) return end;
    if (byte >= 0xc0) return at;
  }
  return end;
}

/** First bytes of file types that often have the wrong file name ending. */
const BINARY_KINDS: readonly [start: string, kind: string][] = [
  [
    '504b0304',
    'not text but a ZIP archive, such as an XLSX workbook. Give a workbook the ending .xlsx, or save it as CSV',
  ],
  ['d0cf11e0', 'not text but an old workbook (.xls). Save it as .xlsx or CSV'],
  ['50415231', 'not text but a Parquet file. Give it the ending .parquet'],
  ['25504446', 'not text but a PDF. Save its tables as CSV or XLSX'],
  ['1f8b', 'compressed with gzip. Unpack it before you upload it'],
];

/**
 * Returns the type of a binary file. A text file may start with the same letters but does not contain such control characters.
 */
function binaryKind(sample: Buffer): string | undefined {
  const start = sample.subarray(0, 4).toString('hex');
  const [, kind] = BINARY_KINDS.find(([bytes]) => start.startsWith(bytes)) ?? [];
  return hasControls(sample) || start.startsWith('25504446') ? kind : undefined;
}

function hasControls(bytes: Uint8Array): boolean {
  return bytes.some((byte) => byte < FIRST_PRINTABLE && !CONTROLS_OF_TEXTS.has(byte));
}

const hasMark = (start: Buffer): boolean => start.subarray(0, 3).toString('hex') === 'efbbbf';

export const notText = (): TaskProblem =>
  new TaskProblem('unreadable', `The file is not text, or its encoding is unknown. ${remedyOf({})}`);
