import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** Encoding of file content in a JSON response. */
export type ContentForm = 'text' | 'base64';

/** Content with its encoding and length in a response. */
export interface MeasuredContent {
  form: ContentForm;
  /** Number of bytes inside the quotes of a JSON string. */
  bytes: number;
}

/** Number of JSON bytes for each byte of text. Bytes below 32 are escaped, most of them as `\uXXXX`. */
const ESCAPED = Uint8Array.from({ length: 256 }, (_, byte) => {
  if ('\b\t\n\f\r"\\'.includes(String.fromCharCode(byte))) return 2;
  return byte < 0x20 ? 6 : 1;
});

/** Maximum size of an incomplete UTF-8 character at the end of a chunk, in bytes. */
const MAX_CUT = 3;

/** Reads content without storing it. Strict UTF-8 without NUL is text, and everything else becomes base64. */
export async function measureContent(content: Readable): Promise<MeasuredContent> {
  let isText = true;
  let size = 0;
  let escaped = 0;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of content as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (!isText) continue;
    for (const byte of chunk) escaped += ESCAPED[byte] ?? 0;
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const whole = bytes.subarray(0, wholeCharacters(bytes));
    rest = bytes.subarray(whole.length);
    isText = isUtf8(whole) && !whole.includes(0);
  }
  if (isText && rest.length === 0) return { form: 'text', bytes: escaped };
  return { form: 'base64', bytes: 4 * Math.ceil(size / 3) };
}

/** Yields the content in chunks, encoded for use inside a JSON string. */
export async function* jsonOf(content: Readable, form: ContentForm): AsyncGenerator<string> {
  const decoder = new StringDecoder(form === 'text' ? 'utf8' : 'base64');
  const inside = (text: string): string => (form === 'text' ? JSON.stringify(text).slice(1, -1) : text);
  for await (const chunk of content as AsyncIterable<Buffer>) yield inside(decoder.write(chunk));
  yield inside(decoder.end());
}

/** Returns the number of bytes before an incomplete last character. Invalid UTF-8 is not cut off. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(MAX_CUT, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
