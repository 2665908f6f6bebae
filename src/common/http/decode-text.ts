/**
 * Decodes the text of a JSON body. Detects UTF-8, UTF-16 and UTF-32 like Python's `json`: from the byte order mark, or from zero
 * bytes in the first characters. The byte order mark is not part of the text.
 *
 * @throws UndecodableText
 */
export function decodeText(bytes: Buffer): string {
  const encoding = detectEncoding(bytes);
  if (encoding === 'utf-32le' || encoding === 'utf-32be') return decodeUtf32(bytes, encoding === 'utf-32le');
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new UndecodableText();
  }
}

/** Thrown for bytes that are invalid in their detected encoding. */
export class UndecodableText extends Error {}

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'utf-32le' | 'utf-32be';

const BYTE_ORDER_MARKS: readonly (readonly [Encoding, number[]])[] = [
  ['utf-32be', [0, 0, 0xfe, 0xff]],
  ['utf-32le', [0xff, 0xfe, 0, 0]],
  ['utf-16be', [0xfe, 0xff]],
  ['utf-16le', [0xff, 0xfe]],
];

function detectEncoding(bytes: Buffer): Encoding {
  for (const [encoding, mark] of BYTE_ORDER_MARKS)
    if (mark.every((byte, index) => bytes[index] === byte)) return encoding;
  if (bytes.length >= 4) {
    if (bytes[0] === 0) return bytes[1] === 0 ? 'utf-32be' : 'utf-16be';
    if (bytes[1] === 0) return bytes[2] === 0 && bytes[3] === 0 ? 'utf-32le' : 'utf-16le';
  }
  if (bytes.length === 2 && bytes[0] === 0) return 'utf-16be';
  if (bytes.length === 2 && bytes[1] === 0) return 'utf-16le';
  return 'utf-8';
}

/** Number of bytes decoded at a time. */
const PIECE = 16 * 1024;

function decodeUtf32(bytes: Buffer, littleEndian: boolean): string {
  if (bytes.length % 4 !== 0) throw new UndecodableText();
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += PIECE) {
    const codes: number[] = [];
    for (let place = at; place < Math.min(at + PIECE, bytes.length); place += 4) {
      const code = littleEndian ? bytes.readUInt32LE(place) : bytes.readUInt32BE(place);
      if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) throw new UndecodableText();
      if (place > 0 || code !== 0xfeff) codes.push(code);
    }
    pieces.push(String.fromCodePoint(...codes));
  }
  return pieces.join('');
}
