import { isRecord, type JsonRecord } from './json-values.js';

/** Fields whose text is streamed in pieces. Other strings arrive complete, and some servers repeat them in each chunk. */
const IN_PIECES = /^(text|summary|content|(reasoning|thinking|thoughts?)(_content|_text)?)$/;
/** Standard fields, and fields that only describe a chunk. */
const TRANSIENT = new Set(['role', 'type', 'name', 'index', 'logprobs', 'token_id', 'annotations', 'audio']);

export const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.values(value).every((inner) => isEmpty(inner)));

/** Merges the next chunk of provider data for a message or call. */
export function joinData(data: JsonRecord, piece: JsonRecord): JsonRecord {
  const entries = Object.entries(piece).filter(([key, value]) => !isEmpty(value) && !TRANSIENT.has(key));
  return entries.length === 0 ? data : joinRecord(data, Object.fromEntries(entries));
}

function joinRecord(before: JsonRecord, piece: JsonRecord): JsonRecord {
  const merged = { ...before };
  for (const [key, value] of Object.entries(piece)) {
    if (value !== null && value !== undefined) merged[key] = join(key, merged[key], value);
  }
  return merged;
}

function join(key: string, before: unknown, piece: unknown): unknown {
  if (typeof before === 'string' && typeof piece === 'string') return IN_PIECES.test(key) ? before + piece : piece;
  if (Array.isArray(before) && Array.isArray(piece)) return joinList(before, piece);
  return isRecord(before) && isRecord(piece) ? joinRecord(before, piece) : piece;
}

/** Appends entries to a list. If the first entry continues the last entry of the list, merges the two. */
function joinList(before: unknown[], [first, ...more]: unknown[]): unknown[] {
  const last = before.at(-1);
  if (!isRecord(last) || !isRecord(first) || !continues(last, first)) return [...before, first, ...more];
  return [...before.slice(0, -1), joinRecord(last, first), ...more];
}

const continues = (last: JsonRecord, entry: JsonRecord): boolean =>
  last['type'] !== undefined &&
  last['type'] === entry['type'] &&
  last['index'] === entry['index'] &&
  (last['id'] ?? entry['id']) === (entry['id'] ?? last['id']) &&
  ['text', 'summary', 'thinking', 'signature'].some((name) => entry[name] !== undefined);
