import { MAX_COLUMNS } from '../limits.js';

/* Finds values in the bytes of a JSON document. */

/** Maximum depth of lists and objects. The object that forms a row has depth 1. */
export const MAX_DEPTH = 100;

export const QUOTE = 0x22;
export const COMMA = 0x2c;
const COLON = 0x3a;
export const BACKSLASH = 0x5c;
export const LIST = 0x5b;
export const LIST_END = 0x5d;
export const OBJECT = 0x7b;
const OBJECT_END = 0x7d;

/** Explains why an object cannot be read, as the second half of a sentence. Returns undefined if it can be read. */
export function objectProblem(bytes: Buffer, keyCache: KeyCache): string | undefined {
  let value: object;
  try {
    value = JSON.parse(bytes.toString()) as object;
  } catch {
    return 'is not valid JSON';
  }
  const keys: string[] = [];
  eachMember(bytes, 0, bytes.length, keyCache, (key) => keys.push(key));
  // A JSON parser keeps only the last value of a repeated key.
  if (keys.length > Object.keys(value).length) {
    const double = keys.find((name, at) => keys.indexOf(name) < at);
    return `has the key ${JSON.stringify(double)} twice. Keep one of them`;
  }
  if (!bytes.includes(UNICODE_ESCAPE)) return undefined;
  const [key] = Object.entries(value).find((member) => member.some(isUnstorable)) ?? [];
  return key === undefined ? undefined : `has \\u0000 or half of a surrogate pair at ${JSON.stringify(key)}`;
}

const UNICODE_ESCAPE = Buffer.from('\\u');

/** Returns true for a string that cannot be stored as UTF-8 in a table. */
const isUnstorable = (part: unknown): boolean =>
  typeof part === 'string' && (part.includes('\0') || !part.isWellFormed());

export const TOO_DEEP = -3;

/** Cache of keys by their position, because most objects in a file have the same keys. */
export class KeyCache {
  private readonly keys: { raw: Buffer; key: string }[] = [];

  at(member: number, bytes: Buffer, start: number, end: number): string {
    const cached = this.keys[member];
    if (cached?.raw.compare(bytes, start, end) === 0) return cached.key;
    const raw = Buffer.from(bytes.subarray(start, end));
    const key = JSON.parse(raw.toString()) as string;
    if (member < MAX_COLUMNS) this.keys[member] = { raw, key };
    return key;
  }
}

/** Calls a function for each member of a valid JSON object. */
export function eachMember(
  bytes: Buffer,
  start: number,
  end: number,
  keys: KeyCache,
  onMember: (key: string, start: number, end: number) => void,
): void {
  let at = skipBlanks(bytes, start + 1, end);
  for (let member = 0; bytes[at] === QUOTE; member += 1) {
    const keyEnd = endOfText(bytes, at, end);
    const key = keys.at(member, bytes, at, keyEnd);
    at = skipBlanks(bytes, keyEnd, end);
    if (bytes[at] === COLON) at += 1;
    at = skipBlanks(bytes, at, end);
    const valueEnd = endOfValue(bytes, at, end);
    onMember(key, at, valueEnd);
    at = skipBlanks(bytes, valueEnd, end);
    if (bytes[at] === COMMA) at = skipBlanks(bytes, at + 1, end);
  }
}

/**
 * Returns the end position of a value, without checking that the value is valid. Returns -1 if the value does not end, and
 * {@link TOO_DEEP} if it is nested too deeply.
 */
export function endOfValue(bytes: Buffer, start: number, end: number): number {
  if (bytes[start] === QUOTE) return endOfText(bytes, start, end);
  let depth = 0;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      const after = endOfText(bytes, at, end);
      if (after < 0) return -1;
      at = after - 1;
    } else if (byte === OBJECT || byte === LIST) {
      depth += 1;
      if (depth > MAX_DEPTH) return TOO_DEEP;
    } else if (byte === OBJECT_END || byte === LIST_END) {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && (byte === COMMA || isBlank(byte!))) {
      return at;
    }
  }
  return -1;
}

function endOfText(bytes: Buffer, start: number, end: number): number {
  for (let at = start + 1; at < end; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at += 1;
  }
  return -1;
}

const isBlank = (byte: number): boolean => byte === 0x20 || (byte >= 9 && byte <= 13);

export function skipBlanks(bytes: Buffer, at: number, end: number): number {
  while (at < end && isBlank(bytes[at]!)) at += 1;
  return at;
}
