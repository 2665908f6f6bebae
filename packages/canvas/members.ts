import { LRUCache } from 'lru-cache';
import { type DateReading, isoDate, type Values } from '../modelling/index.js';
import type { DataContent } from './data-content.js';

/** Distinct members of a set, in order. */
export interface Members extends Iterable<string> {
  size: number;
  has(member: string): boolean;
}

/** Maximum number of members that a card may define as a range. */
export const MAX_RANGE = 100_000;
const RANGE = /^(?<from>-?\d{1,9}) to (?<to>-?\d{1,9})$/;

/** Cache limits for lists and ranges on cards. Longer lists belong in files, whose metadata is cached. */
const MAX_CHARACTERS = 4_000_000;
const MAX_LISTED = 20_000;
const valuesByText = new LRUCache<string, Values>({
  maxSize: MAX_CHARACTERS,
  sizeCalculation: (_, text) => text.length + 1,
});
const valuesByList = new WeakMap<readonly (string | number)[], Values>();

/**
 * Returns the distinct strings in a list or a range. Returns the same object for equal lists, so that comparisons can be
 * cached.
 *
 * @param reading format of the file column, if it contains dates or times
 */
export function valuesOf(members: readonly (string | number)[] | string, reading?: DateReading): Values | undefined {
  const cached = typeof members === 'string' ? undefined : valuesByList.get(members);
  if (cached !== undefined) return cached;
  if (typeof members === 'string') return cachedValues(members, () => rangeOf(members));
  const toSet = (): Values => withDates(new Set(members.map(toMember)), reading);
  const values = members.length > MAX_LISTED ? toSet() : cachedValues(JSON.stringify([members, reading]), toSet);
  if (values !== undefined) valuesByList.set(members, values);
  return values;
}

/** Returns the distinct members that a card defines. */
export const membersOf = ({ members }: NonNullable<DataContent['set']>): Members | undefined =>
  typeof members === 'string' ? rangeOf(members) : members && new Set(members.map(toMember));

/** Returns values that can also be looked up by dates in ISO format. */
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

function cachedValues(text: string, make: () => Values | undefined): Values | undefined {
  const values = valuesByText.get(text) ?? make();
  valuesByText.set(text, values);
  return values;
}

/** Converts a member to a string without surrounding spaces. Members are compared as such strings. */
export const toMember = (member: string | number): string => String(member).trim();

/**
 * Returns the integers in a range such as `1 to 52`, ascending or descending. Returns undefined for other strings and for
 * ranges that are too long. Members are generated lazily.
 */
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
