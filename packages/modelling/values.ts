import { cellOf, type DateReading, isoDate } from './dates.js';

/** Distinct strings in a column or in a key part of a set. */
export interface Values extends Iterable<string> {
  readonly size: number;
  /** Original format of the dates or times. The values themselves are normalized. */
  readonly reading?: DateReading;
  has(text: string): boolean;
}

/** Strings in a column that are missing from another column. */
export interface MissingTexts {
  /** First missing strings. `count` includes the strings that are not listed. */
  texts: readonly string[];
  count: number;
}

/** Number of strings, members and rows that may still be compared in this pass over a canvas. */
export interface ComparisonBudget {
  remaining: number;
}

/** Maximum number of missing strings in a result. Messages list some of them and suggest similar strings. */
const MAX_TEXTS = 500;

/** Whether the values contain a string. A date may be written in a different format than in its file. */
export const hasText = (values: Values, text: string): boolean =>
  values.has(text) || values.has((values.reading ? cellOf(text, values.reading) : isoDate(text)) ?? text);

/** Returns the values in the date or time format of another column, because a solve compares them in this format. */
function readAs(values: Values, { reading }: Values): Pick<Values, 'has'> {
  if (reading === undefined || values.reading !== undefined) return { has: (text) => hasText(values, text) };
  return new Set(Array.from(values, (text) => cellOf(text, reading) ?? text));
}

let identities = 0;
const identityByObject = new WeakMap<object, number>();

/** Returns a unique number for an object. The same object always has the same number. */
export function identityOf(values: object): number {
  const identity = identityByObject.get(values) ?? (identities += 1);
  identityByObject.set(values, identity);
  return identity;
}

const missingByPair = new WeakMap<Values, WeakMap<Values, MissingTexts>>();

/**
 * Returns the strings in a column that are missing from another column, or undefined if the budget is exhausted. Results are
 * cached.
 */
export function textsMissingIn(values: Values, other: Values, budget: ComparisonBudget): MissingTexts | undefined {
  const cached = missingByPair.get(values)?.get(other);
  if (cached !== undefined) return cached;
  if (values.size > budget.remaining) {
    budget.remaining = 0;
    return undefined;
  }
  budget.remaining -= values.size;
  const others = readAs(other, values);
  const texts: string[] = [];
  let count = 0;
  for (const text of values) {
    if (others.has(text)) continue;
    count += 1;
    if (texts.length < MAX_TEXTS) texts.push(text);
  }
  const missing = { texts, count };
  const byOther = missingByPair.get(values) ?? new WeakMap<Values, MissingTexts>();
  missingByPair.set(values, byOther.set(other, missing));
  return missing;
}
