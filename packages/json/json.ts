import { isValidText } from './text.js';

/**
 * A JSON value as it was received. Objects are maps, so that they keep the order of the text and any key (`__proto__`,
 * `0`) is only a key; integers that a number cannot hold exactly are bigints. How a number was spelled is not kept: 3.0
 * is written out as 3, which every reader of JSON takes for the same.
 */
export type Json = null | boolean | number | bigint | string | Json[] | JsonObject;
export type JsonObject = ReadonlyMap<string, Json>;

export const isJsonObject = (value: unknown): value is JsonObject => value instanceof Map;

/** Whether every text and key inside can be stored. */
export function hasValidTexts(value: Json): boolean {
  if (typeof value === 'string') return isValidText(value);
  if (Array.isArray(value)) return value.every(hasValidTexts);
  if (!isJsonObject(value)) return true;
  for (const [key, member] of value) if (!isValidText(key) || !hasValidTexts(member)) return false;
  return true;
}

/** The value as plain objects, arrays and numbers; an integer beyond 2^53 becomes the nearest number. */
export function toPlain(value: Json): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(toPlain);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Array.from(value, ([key, member]) => [key, toPlain(member)]));
}

/** Compact JSON text of received values (exact and in their order) and of plain ones. */
export function toJsonText(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map(toJsonText).join(',')}]`;
  if (value === undefined) return 'null';
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return JSON.stringify(value);
  const members = Array.from(isJsonObject(value) ? value : Object.entries(value)).filter(
    ([, member]) => member !== undefined,
  );
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${toJsonText(member)}`).join(',')}}`;
}
