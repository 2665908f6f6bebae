import { afterDigits } from './number-forms.js';

/*
 * Finds all date and time notations ("forms") that match a string. The result is a bit set, because a string such as 03/04/2025
 * matches two forms. The other values of the column determine which form applies.
 */

/** Date forms in the syntax of DuckDB's strptime. The index of a form is its bit number. */
export const DATE_FORMS = [
  '%Y-%m-%d',
  '%Y/%m/%d',
  '%Y.%m.%d',
  '%d.%m.%Y',
  '%d/%m/%Y',
  '%m/%d/%Y',
  '%d-%m-%Y',
  '%m-%d-%Y',
  '%d-%b-%Y',
  '%d %b %Y',
  '%d.%m.%y',
  '%d/%m/%y',
  '%m/%d/%y',
  '%Y%m%d',
] as const;
export type DateForm = (typeof DATE_FORMS)[number];

export const formBit = (form: DateForm): number => 1 << DATE_FORMS.indexOf(form);

export const ISO_DATE = formBit('%Y-%m-%d');
/** Eight-digit date, which may also be a number. */
export const COMPACT_DATE = formBit('%Y%m%d');
export const DAY_FIRST_FORMS = formBit('%d/%m/%Y') | formBit('%d-%m-%Y') | formBit('%d/%m/%y');
export const MONTH_FIRST_FORMS = formBit('%m/%d/%Y') | formBit('%m-%d-%Y') | formBit('%m/%d/%y');
export const ALL_DATE_FORMS = (1 << DATE_FORMS.length) - 1;
/** Forms with two-digit years. */
export const SHORT_FORMS = formBit('%d.%m.%y') | formBit('%d/%m/%y') | formBit('%m/%d/%y');
/** Forms whose separator is a point. The day always comes first. */
export const DOTTED_FORMS = formBit('%d.%m.%Y') | formBit('%d.%m.%y');
/** Time of day without a date. */
export const TIME_FORM = 1 << 14;

/** Flags, stored above the bits of the forms. */
export const HAS_TIME = 1 << 16;
export const HAS_ZONE = 1 << 17;
export const HAS_NO_ZONE = 1 << 18;
/** The time has AM or PM. */
export const HAS_HALF = 1 << 19;
/** All parts of the date have two digits or fewer, and the first part cannot be the year. */
export const IS_NOT_YEAR_FIRST = 1 << 20;

const HYPHEN = 0x2d;
const SLASH = 0x2f;
const POINT = 0x2e;
const COLON = 0x3a;
const BLANK = 0x20;

/** Forms by separator. */
const YEAR_FIRST = new Map([
  [HYPHEN, ISO_DATE],
  [SLASH, formBit('%Y/%m/%d')],
  [POINT, formBit('%Y.%m.%d')],
]);
const DAY_FIRST = new Map([
  [HYPHEN, formBit('%d-%m-%Y')],
  [SLASH, formBit('%d/%m/%Y')],
  [POINT, formBit('%d.%m.%Y')],
]);
const MONTH_FIRST = new Map([
  [HYPHEN, formBit('%m-%d-%Y')],
  [SLASH, formBit('%m/%d/%Y')],
]);
const SHORT_DAY_FIRST = new Map([
  [SLASH, formBit('%d/%m/%y')],
  [POINT, formBit('%d.%m.%y')],
]);
const SHORT_MONTH_FIRST = new Map([[SLASH, formBit('%m/%d/%y')]]);
const NAMED_MONTH = new Map([
  [HYPHEN, formBit('%d-%b-%Y')],
  [BLANK, formBit('%d %b %Y')],
]);

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = [0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
/** Allowed years in eight-digit dates. Other eight-digit numbers are more likely to be identifiers. */
const COMPACT_YEARS = { first: 1900, last: 2099 };
/** Last two-digit year that belongs to this century, as in strptime. */
const LAST_SHORT_YEAR = 68;

/** Returns the forms and flags of a string, or 0 if it is neither a date nor a time. The string must start with a digit. */
export function dateForms(bytes: Uint8Array, start: number, end: number): number {
  const afterFirst = afterDigits(bytes, start, end);
  const firstLength = afterFirst - start;
  if (afterFirst === end) return firstLength === 8 ? compactForms(numberAt(bytes, start, end)) : 0;
  const sign = bytes[afterFirst]!;
  if (sign === COLON) {
    const timeFlags = flagsOfTime(bytes, start, end, false);
    return timeFlags === 0 ? 0 : TIME_FORM | timeFlags;
  }
  if (firstLength === 0 || firstLength === 3 || firstLength > 4) return 0;
  const first = numberAt(bytes, start, afterFirst);
  const second = afterFirst + 1;
  const afterSecond = afterDigits(bytes, second, end);
  const secondLength = afterSecond - second;
  if (secondLength > 2) return 0;

  let forms: number;
  let at: number;
  if (secondLength === 0) {
    at = second + 8;
    const month = monthAt(bytes, second, end);
    const isYear = afterDigits(bytes, second + 4, end) === at;
    if (month === 0 || !isYear || bytes[second + 3] !== sign || firstLength > 2) return 0;
    forms = isDay(numberAt(bytes, second + 4, at), month, first) ? (NAMED_MONTH.get(sign) ?? 0) : 0;
  } else {
    if (bytes[afterSecond] !== sign) return 0;
    at = afterDigits(bytes, afterSecond + 1, end);
    const third = numberAt(bytes, afterSecond + 1, at);
    forms = formsOfParts(
      sign,
      first,
      firstLength,
      numberAt(bytes, second, afterSecond),
      secondLength,
      third,
      at - afterSecond - 1,
    );
  }
  if (forms === 0) return 0;
  if (at === end) return forms | HAS_NO_ZONE;
  // DuckDB reads ISO 8601 with a cast. Only this form may have T, a zone or nanoseconds. The other forms are parsed by
  // strptime.
  const isIso = forms === ISO_DATE && firstLength === 4 && secondLength === 2;
  if (bytes[at] !== BLANK && !(isIso && bytes[at] === 0x54)) return 0;
  const timeFlags = flagsOfTime(bytes, at + 1, end, isIso);
  return timeFlags === 0 ? 0 : forms | timeFlags;
}

function compactForms(digits: number): number {
  const year = Math.floor(digits / 10_000);
  const isDate = year >= COMPACT_YEARS.first && year <= COMPACT_YEARS.last;
  return isDate && isDay(year, Math.floor(digits / 100) % 100, digits % 100) ? COMPACT_DATE | HAS_NO_ZONE : 0;
}

function formsOfParts(
  sign: number,
  first: number,
  firstLength: number,
  second: number,
  secondLength: number,
  third: number,
  thirdLength: number,
): number {
  if (firstLength === 4) {
    return thirdLength > 0 && thirdLength <= 2 && isDay(first, second, third) ? (YEAR_FIRST.get(sign) ?? 0) : 0;
  }
  const isShort = thirdLength === 2 && firstLength === 2 && secondLength === 2;
  if (thirdLength !== 4 && !isShort) return 0;
  const year = isShort ? longYear(third) : third;
  const dayFirst = isDay(year, second, first) ? (isShort ? SHORT_DAY_FIRST : DAY_FIRST).get(sign) : undefined;
  const monthFirst = isDay(year, first, second) ? (isShort ? SHORT_MONTH_FIRST : MONTH_FIRST).get(sign) : undefined;
  const forms = (dayFirst ?? 0) | (monthFirst ?? 0);
  return forms !== 0 && isShort && !isDay(longYear(first), second, third) ? forms | IS_NOT_YEAR_FIRST : forms;
}

/** Expands a two-digit year as strptime does. */
const longYear = (year: number): number => (year <= LAST_SHORT_YEAR ? 2000 : 1900) + year;

/**
 * Returns the flags of a time such as 9:30, 09:30:15, 09:30:15.25 or 9:30 PM, or 0 for other strings. Zones (Z, +01:00, +0100,
 * +01) require ISO 8601.
 */
function flagsOfTime(bytes: Uint8Array, start: number, end: number, isIso: boolean): number {
  let at = afterDigits(bytes, start, end);
  const hour = numberAt(bytes, start, at);
  if (at === start || at - start > 2 || (isIso && at - start !== 2)) return 0;
  if (!isSixtieth(bytes, at, end)) return 0;
  at += 3;
  const hasSeconds = isSixtieth(bytes, at, end);
  if (hasSeconds) {
    at += 3;
    if (bytes[at] === POINT && at < end) {
      const fraction = at + 1;
      at = afterDigits(bytes, fraction, end);
      if (at === fraction || at - fraction > (isIso ? 9 : 6)) return 0;
    }
  }
  if (at === end) return hour <= 23 ? HAS_TIME | HAS_NO_ZONE : 0;
  // DuckDB rejects a zone directly after the minutes.
  if (isIso) return hour <= 23 && hasSeconds && isZone(bytes, at, end) ? HAS_TIME | HAS_ZONE : 0;
  if (bytes[at] === BLANK) at += 1;
  const half = (bytes[at] ?? 0) | 0x20;
  const isHalf = at + 2 === end && (half === 0x61 || half === 0x70) && (bytes[at + 1]! | 0x20) === 0x6d;
  return isHalf && hour >= 1 && hour <= 12 ? HAS_TIME | HAS_HALF | HAS_NO_ZONE : 0;
}

/** Returns true if a colon and a two-digit number up to 59 follow at a position. */
function isSixtieth(bytes: Uint8Array, at: number, end: number): boolean {
  if (at + 3 > end || bytes[at] !== COLON || bytes[at + 1]! > 0x35) return false;
  return afterDigits(bytes, at + 1, Math.min(end, at + 4)) === at + 3;
}

function isZone(bytes: Uint8Array, at: number, end: number): boolean {
  if (bytes[at] === 0x5a) return at + 1 === end;
  if (bytes[at] !== 0x2b && bytes[at] !== HYPHEN) return false;
  const hours = afterDigits(bytes, at + 1, end);
  if (hours - at === 3)
    return (
      numberAt(bytes, at + 1, hours) <= 15 && (hours === end || (hours + 3 === end && isSixtieth(bytes, hours, end)))
    );
  return false;
}

/** Returns whether a day exists in the calendar, from year 1. */
function isDay(year: number, month: number, day: number): boolean {
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > DAYS[month]!) return false;
  return month !== 2 || day < 29 || (year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0));
}

/** Returns 1 to 12 for a three-letter English month name, or 0 for other text. */
function monthAt(bytes: Uint8Array, at: number, end: number): number {
  if (at + 3 > end) return 0;
  return MONTHS.indexOf(String.fromCharCode(bytes[at]! | 0x20, bytes[at + 1]! | 0x20, bytes[at + 2]! | 0x20)) + 1;
}

function numberAt(bytes: Uint8Array, at: number, end: number): number {
  let number = 0;
  for (; at < end; at += 1) number = number * 10 + bytes[at]! - 48;
  return number;
}
