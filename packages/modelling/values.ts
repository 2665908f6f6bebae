import { cellOf, type DateReading, isoDate } from './dates.js';

/** The distinct texts of a column, or of one part of the members of a set. */
export interface Values extends Iterable<string> {
  readonly size: number;
  /** How dates or times became these texts. */
  readonly reading?: DateReading;
  has(text: string): boolean;
}

/** Texts that only one of two columns has. */
export interface Rest {
  /** The first of them. */
  texts: readonly string[];
  count: number;
}

/** Bounds the comparisons of texts while a canvas is looked at. */
export interface LookupBudget {
  left: number;
}

/** Texts that are kept of a rest, to name some and to search the nearest ones among them. */
const MAX_TEXTS = 500;

/** Whether a text is among values. A date may be written in another form than in its file. */
export const hasText = (values: Values, text: string): boolean =>
  values.has(text) || values.has((values.reading ? cellOf(text, values.reading) : isoDate(text)) ?? text);

/** The values in the form of the dates or times of another column, as a solve compares them. */
function readAs(values: Values, { reading }: Values): Pick<Values, 'has'> {
  if (reading === undefined || values.reading !== undefined) return { has: (text) => hasText(values, text) };
  return new Set(Array.from(values, (text) => cellOf(text, reading) ?? text));
}

let identities = 0;
const identityByObject = new WeakMap<object, number>();

/** Returns a number that only the same object has. */
export function identityOf(values: object): number {
  const identity = identityByObject.get(values) ?? (identities += 1);
  identityByObject.set(values, identity);
  return identity;
}

const restsByPair = new WeakMap<Values, WeakMap<Values, Rest>>();

/** Returns the texts of one column that another one lacks; undefined if the budget does not suffice. Results are cached. */
export function restOf(values: Values, other: Values, budget: LookupBudget): Rest | undefined {
  const cached = restsByPair.get(values)?.get(other);
  if (cached !== undefined) return cached;
  if (values.size > budget.left) {
    budget.left = 0;
    return undefined;
  }
  budget.left -= values.size;
  const others = readAs(other, values);
  const texts: string[] = [];
  let count = 0;
  for (const text of values) {
    if (others.has(text)) continue;
    count += 1;
    if (texts.length < MAX_TEXTS) texts.push(text);
  }
  const rest = { texts, count };
  const rests = restsByPair.get(values) ?? new WeakMap<Values, Rest>();
  restsByPair.set(values, rests.set(other, rest));
  return rest;
}
