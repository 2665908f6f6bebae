/** Maximum number of names in a message, and of characters shown for each name. */
const MAX_NAMES = 10;
const MAX_CHARACTERS = 60;

/** Truncates a string that is too long to be shown in full. */
export function shortened(text: string, maxLength = MAX_CHARACTERS): string {
  if (text.length <= maxLength) return text;
  const beginning = text.slice(0, maxLength);
  return `${beginning.isWellFormed() ? beginning : beginning.slice(0, -1)}…`;
}

/** Lists the first names, followed by the number of remaining names. */
export const listNames = (names: readonly string[]): string => listFirst(names, MAX_NAMES, (name) => shortened(name));

/** Lists the first items, formatted by `show`, followed by the number of remaining items. */
export function listFirst(items: readonly string[], maxItems: number, show = (item: string): string => item): string {
  const more = items.length > maxItems ? ` and ${items.length - maxItems} more` : '';
  return items.slice(0, maxItems).map(show).join(', ') + more;
}
