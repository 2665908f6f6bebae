/** Names that a message lists, and characters that it shows of each. */
const MOST_NAMES = 10;
const MOST_CHARACTERS = 60;

/** The beginning of a text, where it is too long to be shown whole. */
export function shortened(text: string, most = MOST_CHARACTERS): string {
  if (text.length <= most) return text;
  const beginning = text.slice(0, most);
  return `${beginning.isWellFormed() ? beginning : beginning.slice(0, -1)}…`;
}

/** The first of some names, and how many more there are. */
export function someNames(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).map((name) => shortened(name));
  return shown.join(', ') + (names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '');
}
