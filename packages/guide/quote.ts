/** Maximum number of characters in a quotation. */
const MAX_CHARACTERS = 120;

/**
 * Formats text as a Markdown inline code span on a single line. The fence is longer than any run of backticks in the text, so
 * that the text cannot end the span. Long text is truncated.
 */
export function quote(text: string, most = MAX_CHARACTERS): string {
  const line = text
    .slice(0, 4 * most)
    .replace(/\s+/gu, ' ')
    .trim();
  const characters = Array.from(line);
  const isCut = characters.length > most || text.length > 4 * most;
  const shown = isCut ? `${characters.slice(0, most).join('')}…` : line;
  const longest = Math.max(0, ...(shown.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  const isFenceSafe = longest === 0 && shown !== '';
  return isFenceSafe ? `${fence}${shown}${fence}` : `${fence} ${shown} ${fence}`;
}

export const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

/** Smaller absolute values are numerical noise from the solver. */
const NOISE = 1e-9;

/** Formats a number without rounding errors in its last digits. */
export const figure = (value: unknown): string =>
  typeof value !== 'number' ? '?' : Math.abs(value) < NOISE ? '0' : String(Number(value.toPrecision(10)));

const MAX_LISTED = 20;

/** Formats the first items as a Markdown list. Returns an empty string if there are no items. */
export function bullets(items: string[]): string {
  const shown = items.slice(0, MAX_LISTED).map((item) => `- ${item}`);
  return [...shown, ...(items.length > MAX_LISTED ? [`- and ${items.length - MAX_LISTED} more`] : [])].join('\n');
}
