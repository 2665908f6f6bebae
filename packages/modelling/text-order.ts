import { isoDate } from './dates.js';

/**
 * String and the pieces that determine its sort order. Text and numbers alternate, starting with the text before the first
 * number, which may be empty.
 */
export interface OrderedText {
  text: string;
  pieces: readonly (string | number)[];
}

const NUMBER = /(\d+(?:\.\d+)?)/;

export const orderedText = (text: string): OrderedText => ({
  text,
  pieces: text.split(NUMBER).map((piece, at) => (at % 2 === 1 ? Number(piece) : piece)),
});

/**
 * Compares strings piece by piece. Numbers are compared by value, other pieces by characters, so `KW 9` sorts before `KW 10`.
 * Returns a negative number if the first string is smaller.
 */
export function compareTexts(one: OrderedText, other: OrderedText): number {
  const at = one.pieces.findIndex((piece, place) => piece !== other.pieces[place]);
  const [piece, counterpart] = [one.pieces[at], other.pieces[at]];
  if (piece !== undefined && counterpart !== undefined) return piece < counterpart ? -1 : 1;
  const difference = one.pieces.length - other.pieces.length;
  return difference !== 0 ? difference : one.text < other.text ? -1 : one.text > other.text ? 1 : 0;
}

/**
 * Matches strings that start with a year or an hour, such as `2025-02-01` and `08:30`. Their numbers are compared from left to
 * right.
 */
const YEAR_OR_HOUR = /^(?:\d{4}\D|\d{1,2}:\d{2})/;

/**
 * Splits a string into the pieces that determine its sort order. Also returns the form of the string, in which numbers are
 * replaced with 0. Returns undefined if the string does not imply an order.
 */
function orderOf(text: string): { form: string; ordered: OrderedText } | undefined {
  if (text !== '' && Number.isFinite(Number(text))) return { form: '', ordered: { text, pieces: [Number(text)] } };
  const ordered = orderedText(isoDate(text, 'mixed') ?? text);
  if (ordered.pieces.length !== 3 && !YEAR_OR_HOUR.test(ordered.text)) return undefined;
  return { form: ordered.pieces.map((piece, at) => (at % 2 === 1 ? 0 : piece)).join(''), ordered };
}

const falls = new WeakMap<Iterable<string>, readonly [string, string] | null>();

/**
 * Returns the first two adjacent strings that are not in ascending order. Compares only numbers, dates, and strings that differ
 * in a single number, such as `W9` and `W10`. Returns undefined for all other strings. Results are cached.
 */
export function firstFall(texts: Iterable<string>): readonly [string, string] | undefined {
  const cached = falls.get(texts);
  if (cached !== undefined) return cached ?? undefined;
  const fall = findFall(texts);
  falls.set(texts, fall ?? null);
  return fall;
}

function findFall(texts: Iterable<string>): readonly [string, string] | undefined {
  let last: ReturnType<typeof orderOf>;
  let before = '';
  let fall: readonly [string, string] | undefined;
  for (const text of texts) {
    const order = orderOf(text);
    if (order === undefined || (last !== undefined && last.form !== order.form)) return undefined;
    if (last !== undefined && compareTexts(last.ordered, order.ordered) > 0) fall ??= [before, text];
    [last, before] = [order, text];
  }
  return fall;
}
