import { isValidText } from './text.js';

/**
 * JSON value as it was received. Objects are maps, which keep the key order of the JSON text and do not treat keys such as
 * `__proto__` or `0` specially. Integers that a number cannot hold exactly are bigints. The notation of numbers is not
 * preserved: 3.0 is written as 3, which JSON readers treat as equal.
 */
export type Json = null | boolean | number | bigint | string | Json[] | JsonObject;
export type JsonObject = ReadonlyMap<string, Json>;

export const isJsonObject = (value: unknown): value is JsonObject => value instanceof Map;

/** Returns true if all strings and keys in a value can be stored. */
export function hasValidTexts(value: Json): boolean {
  if (typeof value === 'string') return isValidText(value);
  if (Array.isArray(value)) return value.every(hasValidTexts);
  if (!isJsonObject(value)) return true;
  for (const [key, member] of value) if (!isValidText(key) || !hasValidTexts(member)) return false;
  return true;
}

/** Converts a value to plain objects, arrays and numbers. An integer beyond 2^53 becomes the nearest number. */
export function toPlain(value: Json): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(toPlain);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Array.from(value, ([key, member]) => [key, toPlain(member)]));
}

/** Returns compact JSON for plain values, and for received values with their exact numbers and key order. */
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
