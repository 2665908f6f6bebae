/** Pattern for a number with an optional sign. It is part of larger patterns. */
export const NUMBER = String.raw`[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?`;

/** Pattern for a number, or for a member of a column with an optional factor, as in `2 * late_cost[o]`. */
export const PRICE = String.raw`(?:(?:${NUMBER} ?\*? ?)?[\p{L}_][\p{L}\p{M}\p{N}_]*\[[^[\]]+\]|${NUMBER})`;

const FIGURE = new RegExp(`^${NUMBER}$`, 'i');

/** Returns the number that the text consists of. Returns undefined for other text and for numbers that are not finite. */
export function figureOf(text: string): number | undefined {
  const figure = FIGURE.test(text.trim()) ? Number(text) : NaN;
  return Number.isFinite(figure) ? figure : undefined;
}

/** Returns the number that matches {@link PRICE}, or the text of another price. */
export const priceOf = (text: string): number | string => figureOf(text) ?? text.trim();

const FIGURES_IN_WORDS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** Returns the digits for a number word up to ten. Returns other words unchanged. */
export function figureInWords(word: string): string {
  const at = FIGURES_IN_WORDS.indexOf(word.toLowerCase());
  return at < 0 ? word : String(at);
}

export const WORD = /[\p{L}_][\p{L}\p{M}\p{N}_]*/gu;

/** Words that introduce a statement and are followed by a colon. */
export const HEADWORDS: readonly string[] = [
  ...['maximize', 'minimize', 'objective', 'constraint', 'variable', 'data', 'kpi', 'requirement', 'scenario'],
];

/** Words that carry the meaning of statements. */
export const KEYWORDS: readonly string[] = [
  ...HEADWORDS,
  ...['constraints', 'variables', 'produce', 'integer', 'binary', 'continuous', 'hard', 'soft', 'penalty', 'weight'],
  ...['confirm', 'formulas', 'figures', 'target'],
];

/** Words that carry no meaning on their own and occur between keywords. */
export const SMALL_WORDS: ReadonlySet<string> = new Set(
  (
    'a all always an and are at be between broken by can column default each else every everything file for free from has have hold if in is ' +
    'kept key least less may more most must never no none not nothing number numbers of on only or other per remove set sheet sum than ' +
    'the then to values where whole with ' +
    'classification description domain expression formula index label lower name product quantity sense unit upper'
  ).split(' '),
);

/** Words that answer a question or refer to something already mentioned. They are not names. */
export const NO_NAME =
  /^(?:they|them|these|those|this|that|it|both|all|either|neither|everything|something|nothing|none|yes|no|ok|okay|sure|maybe)$/i;

/** Beginning of a constraint under a condition, up to `then`. A label may precede it. */
const CONDITIONAL = /^(?<label>[^:<>=≤≥]*: ?)?if(?<condition>[ (][^"]+?)(?:, ?| )then(?= )/i;
/** Keywords in capitals, unless they are the name of a variable. */
const JOINING_WORD = /(?<=[ (])(?:AND|OR|NOT)(?= (?!(?:[<>=≤≥!]|AND |OR |$)))/g;

/** Writes the keywords of a condition in lower case, and removes a comma before `then`. */
const withPlainCondition = (text: string): string =>
  text.replace(
    CONDITIONAL,
    (_, label: string | undefined, condition: string) =>
      `${label ?? ''}if${condition.replace(JOINING_WORD, (word) => word.toLowerCase())} then`,
  );

/**
 * Normalizes spaces and the keywords of a condition, and removes polite phrases at the beginning and the full stop at the end.
 */
export const tidy = (text: string): string => withPlainCondition(withoutPhrases(text));

const withoutPhrases = (text: string): string =>
  text
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(
      /^(?:please,? |now,? |(?:yes|ok|okay|sure|well), (?=[^,]*[<>=≤≥:])|then,? |let us |let's |(?:i|we)(?: want| would like|['’]d like| have| need) to |(?:the|our|my) (?:objective|goal|aim) is to )+(?=[\p{L}\p{N}("'`])/iu,
      '',
    )
    .replace(/,? please[.!]*$/i, '')
    .replace(/(?<=[^.])\.$/, '')
    .trim();

/** Removes the given characters from both ends of the text. */
export function without(text: string, characters: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && characters.includes(text.charAt(from))) from += 1;
  while (to > from && characters.includes(text.charAt(to - 1))) to -= 1;
  return text.slice(from, to);
}
