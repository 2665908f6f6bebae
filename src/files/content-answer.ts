import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** What the JSON of an answer holds of a content. */
export type ContentForm = 'text' | 'base64';

/** A content as it is to be answered. */
export interface MeasuredContent {
  form: ContentForm;
  /** Bytes that it has inside the quotes of a JSON string. */
  bytes: number;
}

/** Bytes that JSON takes for a byte of a text: those below 32 need an escape, most of them a long one. */
const ESCAPED = Uint8Array.from({ length: 256 }, (_, byte) => {
  if ('\b\t\n\f\r"\\'.includes(String.fromCharCode(byte))) return 2;
  return byte < 0x20 ? 6 : 1;
});

/** Longest rest of a character of UTF-8 that the end of a chunk may cut off. */
const MAX_CUT = 3;

/** Looks through a content without keeping it: a text is strict UTF-8 without NUL, everything else becomes base64. */
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

/** The inside of a JSON string with the content, piece by piece. */
export async function* jsonOf(content: Readable, form: ContentForm): AsyncGenerator<string> {
  const decoder = new StringDecoder(form === 'text' ? 'utf8' : 'base64');
  const inside = (text: string): string => (form === 'text' ? JSON.stringify(text).slice(1, -1) : text);
  for await (const chunk of content as AsyncIterable<Buffer>) yield inside(decoder.write(chunk));
  yield inside(decoder.end());
}

/** How many of the bytes are there before a last character that is cut off; what is no UTF-8 stays in. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(MAX_CUT, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
