/** A figure with its sign, as part of a pattern. */
export const NUMBER = String.raw`[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?`;

const FIGURE = new RegExp(`^${NUMBER}$`, 'i');

/** The figure that a text is; undefined for other texts, and for what is beyond all bounds. */
export function figureOf(text: string): number | undefined {
  const figure = FIGURE.test(text.trim()) ? Number(text) : NaN;
  return Number.isFinite(figure) ? figure : undefined;
}

/** One space between words, no polite beginning and no full stop. */
export const tidy = (text: string): string =>
  text
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(
      /^(?:please,? |now,? |then,? |let us |let's |(?:i|we)(?: want| would like|['’]d like| have| need) to |(?:the|our|my) (?:objective|goal|aim) is to )+/i,
      '',
    )
    .replace(/,? please[.!]*$/i, '')
    .replace(/(?<=[^.])\.$/, '')
    .trim();

/** A text without certain characters at its ends. */
export function without(text: string, characters: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && characters.includes(text.charAt(from))) from += 1;
  while (to > from && characters.includes(text.charAt(to - 1))) to -= 1;
  return text.slice(from, to);
}
