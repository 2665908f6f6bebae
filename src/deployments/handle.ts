const MAX_SLUG_LENGTH = 100;

/** Returns an ASCII slug for a name, or `deployment` if the name contains no characters that a slug can contain. */
export function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{Mark}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG_LENGTH)
    .replace(/^-|-$/g, '');
  return slug === '' ? 'deployment' : slug;
}

/** Returns the first of `slug`, `slug-2`, `slug-3`, and so on that is not taken. */
export function freeHandle(slug: string, usedHandles: ReadonlySet<string>): string {
  if (!usedHandles.has(slug)) return slug;
  let number = 2;
  while (usedHandles.has(`${slug}-${number}`)) number += 1;
  return `${slug}-${number}`;
}
