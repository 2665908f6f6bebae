/** Names that a message lists, and characters that it shows of each. */
const MAX_NAMES = 10;
const MAX_CHARACTERS = 60;

/** The beginning of a text, where it is too long to be shown whole. */
export function shortened(text: string, most = MAX_CHARACTERS): string {
  if (text.length <= most) return text;
  const beginning = text.slice(0, most);
  return `${beginning.isWellFormed() ? beginning : beginning.slice(0, -1)}…`;
}

/** The first of some names, and how many more there are. */
export const someNames = (names: readonly string[]): string => someOf(names, MAX_NAMES, (name) => shortened(name));

/** The first items of a list as `show` has them, and how many more there are. */
export function someOf(items: readonly string[], most: number, show = (item: string): string => item): string {
  const more = items.length > most ? ` and ${items.length - most} more` : '';
  return items.slice(0, most).map(show).join(', ') + more;
}
