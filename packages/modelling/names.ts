/** Maximum number of names in a message, and of characters shown of each. */
const MAX_NAMES = 10;
const MAX_CHARACTERS = 60;

/** Truncates a text that is too long to be shown in full. */
export function shortened(text: string, most = MAX_CHARACTERS): string {
  if (text.length <= most) return text;
  const beginning = text.slice(0, most);
  return `${beginning.isWellFormed() ? beginning : beginning.slice(0, -1)}…`;
}

/** Lists the first names and the number of remaining names. */
export const someNames = (names: readonly string[]): string => someOf(names, MAX_NAMES, (name) => shortened(name));

/** Lists the first items, formatted by `show`, and the number of remaining items. */
export function someOf(items: readonly string[], most: number, show = (item: string): string => item): string {
  const more = items.length > most ? ` and ${items.length - most} more` : '';
  return items.slice(0, most).map(show).join(', ') + more;
}
