import { LRUCache } from 'lru-cache';
import { type DateReading, isoDate, type Values } from '../modelling/index.js';
import type { DataContent } from './data-content.js';

/** The members of a set, in order, each once. */
export interface Members extends Iterable<string> {
  size: number;
  has(member: string): boolean;
}

/** Most members of a set that a card names as a range. */
export const MAX_RANGE = 100_000;
const RANGE = /^(?<from>-?\d{1,9}) to (?<to>-?\d{1,9})$/;

/** Characters of lists and ranges in cards whose values are cached. Longer lists stand in files, whose facts are cached. */
const MAX_CHARACTERS = 4_000_000;
const MAX_LISTED = 20_000;
const valuesByText = new LRUCache<string, Values>({
  maxSize: MAX_CHARACTERS,
  sizeCalculation: (_, text) => text.length + 1,
});
const valuesByList = new WeakMap<readonly (string | number)[], Values>();

/**
 * The different texts of a list or a range. Equal ones are the same object, so that comparisons of them can be cached.
 *
 * @param reading of a column of a file that has dates or times
 */
export function valuesOf(members: readonly (string | number)[] | string, reading?: DateReading): Values | undefined {
  const cached = typeof members === 'string' ? undefined : valuesByList.get(members);
  if (cached !== undefined) return cached;
  if (typeof members === 'string') return cachedAs(members, () => rangeOf(members));
  const toSet = (): Values => withDates(new Set(members.map(toMember)), reading);
  const values = members.length > MAX_LISTED ? toSet() : cachedAs(JSON.stringify([members, reading]), toSet);
  if (values !== undefined) valuesByList.set(members, values);
  return values;
}

/** The members that a set is written with; of those that are written twice the first. */
export const membersOf = ({ members }: NonNullable<DataContent['set']>): Members | undefined =>
  typeof members === 'string' ? rangeOf(members) : members && new Set(members.map(toMember));

/** Texts that are found in the form that dates of files have, too. */
function withDates(texts: Set<string>, reading: DateReading | undefined): Values {
  const dates = new Set(Array.from(texts, (text) => isoDate(text) ?? text));
  const has = (text: string): boolean => texts.has(text) || dates.has(text);
  return {
    size: texts.size,
    ...(reading !== undefined && { reading }),
    has,
    [Symbol.iterator]: () => texts[Symbol.iterator](),
  };
}

function cachedAs(text: string, make: () => Values | undefined): Values | undefined {
  const values = valuesByText.get(text) ?? make();
  valuesByText.set(text, values);
  return values;
}

/** Members as they are compared: texts without spaces around them. */
export const toMember = (member: string | number): string => String(member).trim();

/** The whole numbers of `1 to 52`, in either direction; undefined for other texts and for too many. None is made before it is asked for. */
export function rangeOf(text: string): Members | undefined {
  const { from, to } = RANGE.exec(text.trim())?.groups ?? {};
  if (from === undefined || to === undefined) return undefined;
  const [first, last] = [Number(from), Number(to)];
  const size = Math.abs(last - first) + 1;
  const step = last < first ? -1 : 1;
  return size > MAX_RANGE
    ? undefined
    : {
        size,
        has: (member) => {
          const number = Number(member);
          return (
            String(number) === member &&
            Number.isInteger(number) &&
            (number - first) * step >= 0 &&
            (last - number) * step >= 0
          );
        },
        *[Symbol.iterator]() {
          for (let place = 0; place < size; place += 1) yield String(first + step * place);
        },
      };
}
