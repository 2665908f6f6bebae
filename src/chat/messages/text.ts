/** The text without what PostgreSQL cannot hold: U+0000 is left out, a lone surrogate becomes U+FFFD. */
export const storableText = (text: string): string => text.replaceAll('\0', '').toWellFormed();

/** The value as JSON would carry it, with {@link storableText} applied to every string and key; what JSON has not is null. */
export function storable(value: unknown): unknown {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? null : clean(JSON.parse(text));
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(clean);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [storableText(key), clean(inner)]));
}
