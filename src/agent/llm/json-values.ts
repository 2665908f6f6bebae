/** JSON object with unchecked fields. */
export type JsonRecord = Record<string, unknown>;

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const recordOf = (value: unknown): JsonRecord => (isRecord(value) ? value : {});

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns the parsed value, or undefined for invalid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Maximum plausible number of tokens in a request. */
const MAX_TOKENS = 10_000_000;

/** Returns the value if it is a plausible token count, otherwise undefined. */
export const tokensOf = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= MAX_TOKENS ? Number(value) : undefined;

/**
 * Repairs the arguments of a tool call. Some providers send no arguments, send them twice, put an empty object before them, or
 * encode them as a JSON string. Does not repair other errors, because the model can correct them.
 */
export function argumentsOf(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed === 'null') return '{}';
  const value = parseJson(trimmed);
  if (typeof value === 'string') return isRecord(parseJson(value)) ? value : text;
  if (value !== undefined) return text;
  const half = trimmed.slice(0, trimmed.length / 2);
  if (half + half === trimmed && isRecord(parseJson(half))) return half;
  return trimmed.startsWith('{}') && isRecord(parseJson(trimmed.slice(2))) ? trimmed.slice(2) : text;
}
