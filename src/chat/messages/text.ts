/** Replaces characters that PostgreSQL cannot store: drops U+0000 and converts lone surrogates to U+FFFD. */
export const toValidText = (text: string): string => text.replaceAll('\0', '').toWellFormed();

/**
 * Returns a value as JSON would represent it, with {@link toValidText} applied to every string and key. Values that JSON cannot
 * represent become null.
 */
export function toValidJson(value: unknown): unknown {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? null : clean(JSON.parse(text));
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') return toValidText(value);
  if (Array.isArray(value)) return value.map(clean);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [toValidText(key), clean(inner)]));
}
