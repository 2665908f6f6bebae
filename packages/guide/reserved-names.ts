import { isName } from '../modelling/index.js';

/* Handles variables whose names are also keywords for facts about variables: `free, paid integer`. */

const WORD =
  '(?:free|unrestricted|unbounded|integers?|ints?|whole|binary|binaries|bools?|booleans?|continuous|reals?|fractional|positive|any)';
const IS_WORD = new RegExp(`^${WORD}$`, 'i');
/** Words that are more likely to be part of a fact than to be a name: `x, positive integer`. */
const ADJECTIVE = /^(?:positive|any|whole|reals?|unrestricted|unbounded|fractional)$/i;
const BESIDE_SIGN = new RegExp(
  `(?<=^ ?|, ?| and |[<>=≤≥] ?)${WORD}(?= ?[<>=≤≥])|(?<=[<>=≤≥] ?)${WORD}(?=[ ,]|$)`,
  'gi',
);
const BETWEEN_NAMES = / ?, ?(?:and )?| and /;
/** Letter that is appended to a keyword to mark it as a name. No keyword of the grammar ends with this letter. */
const MARK = '\u{a60c}';

/** Whether a name is also a keyword for a fact about variables. */
export const isReserved = (name: string): boolean => IS_WORD.test(name);

/**
 * Marks each keyword that can only be a name because it is next to a relation sign, or because it is in a list before other
 * names or facts.
 *
 * @param isDeclared whether a word such as `variables` precedes the text
 */
export function withMarks(text: string, isDeclared: boolean): string {
  const marked = text.replace(BESIDE_SIGN, (word) => word + MARK);
  const items = text.split(BETWEEN_NAMES);
  const [name = '', ...facts] = (items.pop() ?? '').split(' ');
  const isList = isName(name) && items.every(isName) && (facts.length > 0 || isDeclared);
  if (!isList || (items.length === 0 && !isReserved(name))) return marked;
  const mark = (one: string): string => (isReserved(one) ? one + MARK : one);
  const last = ADJECTIVE.test(name) && !isDeclared ? name : mark(name);
  return [[...items.map(mark), last].join(', '), ...facts].join(' ');
}

export const withoutMarks = (text: string): string => text.replaceAll(MARK, '');
