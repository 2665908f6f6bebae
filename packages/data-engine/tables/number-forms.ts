/*
 * Finds all number notations ("forms") that match a string. The result is a bit set, because a string such as 1.234 can mean
 * 1.234 or 1,234. The other values of the column determine which form applies.
 */

import { MAX_DIGITS } from '../limits.js';
import { isExactNumber } from './exact-numbers.js';

/** Number forms by decimal separator and thousands separator. The index of a form is its bit number. */
export const NUMBER_FORMS = [
  { decimal: '.', thousands: '' },
  { decimal: '.', thousands: ',' },
  { decimal: '.', thousands: ' ' },
  { decimal: '.', thousands: "'" },
  { decimal: ',', thousands: '' },
  { decimal: ',', thousands: '.' },
  { decimal: ',', thousands: ' ' },
  { decimal: ',', thousands: "'" },
] as const;

export const POINT_FORMS = 0x0f;
export const COMMA_FORMS = 0xf0;
export const ALL_NUMBER_FORMS = POINT_FORMS | COMMA_FORMS;

/** Flags, stored above the bits of the forms. */
export const HAS_POINT = 1 << 8;
export const HAS_COMMA = 1 << 9;
export const HAS_EXPONENT = 1 << 10;
export const HAS_PERCENT = 1 << 11;
export const HAS_NO_PERCENT = 1 << 12;

const POINT = 46;
const COMMA = 44;
const BLANK = 32;
const APOSTROPHE = 39;
const ZERO = 48;
const NINE = 57;

/** Minimum number of digits in a telephone number that starts with a plus sign. */
const PHONE_DIGITS = 8;

/**
 * Returns the forms and flags of a string, or 0 if it is not a number. Strings with a leading zero (007) are not numbers.
 * Neither are telephone numbers (+4930123456) and exponents without a sign or decimals (12e5), which may be identifiers.
 */
export function numberForms(bytes: Uint8Array, start: number, end: number): number {
  let flags = HAS_NO_PERCENT;
  if (bytes[end - 1] === 0x25) {
    end = endWithoutBlanks(bytes, start, end - 1);
    flags = HAS_PERCENT;
  }
  let at = start;
  if (bytes[at] === 0x2d || bytes[at] === 0x2b) at += 1;
  const from = at;
  at = afterDigits(bytes, at, end);
  const leading = at - from;
  const hasPlus = bytes[start] === 0x2b;
  if (hasPlus && at === end && leading >= PHONE_DIGITS && flags === HAS_NO_PERCENT) return 0;
  if (leading > MAX_DIGITS || (leading > 1 && bytes[from] === ZERO)) return 0;
  if (at === end) return leading === 0 ? 0 : ALL_NUMBER_FORMS | flags;

  // All groups of three digits must be separated by the same character. A different character may separate the decimals.
  const canGroup = leading >= 1 && leading <= 3 && bytes[from] !== ZERO;
  let first = 0;
  let second = 0;
  let signs = 0;
  let decimals = 0;
  let areThrees = true;
  for (;;) {
    const sign = signAt(bytes, at, end);
    if (sign === 0) break;
    if (second !== 0) return 0;
    if (signs === 0) first = sign;
    else if (sign !== first) second = sign;
    signs += 1;
    at += signLength(bytes[at]!);
    const digits = at;
    at = afterDigits(bytes, at, end);
    decimals = at - digits;
    if (second === 0) areThrees &&= decimals === 3;
  }
  const hasExponent = at < end;
  if (hasExponent) {
    const isSigned = bytes[at + 1] === 0x2b || bytes[at + 1] === 0x2d;
    const exponent = at + (isSigned ? 2 : 1);
    const isExponent = (bytes[at]! | 0x20) === 0x65 && afterDigits(bytes, exponent, end) === end;
    if (!isExponent || exponent === end || end - exponent > 3 || (!isSigned && signs === 0) || signs > 1) return 0;
    // The value exceeds the range of a double.
    if (!Number.isFinite(Number(String.fromCharCode(...bytes.subarray(from, end)).replace(',', '.')))) return 0;
    flags |= HAS_EXPONENT;
    if (signs === 0) return leading === 0 ? 0 : ALL_NUMBER_FORMS | flags;
  }
  const groups = second === 0 ? signs : signs - 1;
  if (hasPlus && second === 0 && first === BLANK && groups * 3 + leading >= PHONE_DIGITS) return 0;
  if (groups * 3 + leading > MAX_DIGITS + (second === 0 && signs === 1 ? 3 : 0)) return 0;
  if (first === POINT || second === POINT) flags |= HAS_POINT;
  if (first === COMMA || second === COMMA) flags |= HAS_COMMA;
  if (second !== 0) {
    if (!canGroup || !areThrees || (second !== POINT && second !== COMMA)) return 0;
    if (end - from > MAX_DIGITS && !isExactNumber(plainText(bytes, start, end, second))) return 0;
    const forms = formsGroupedBy(first) & formsWithDecimal(second);
    return forms === 0 ? 0 : forms | flags;
  }
  const asGroups = canGroup && areThrees && !hasExponent ? formsGroupedBy(first) : 0;
  const isDecimal = signs === 1 && decimals > 0;
  if (isDecimal && end - from > MAX_DIGITS && !isExactNumber(plainText(bytes, start, end, first))) return 0;
  const asDecimals = isDecimal ? formsWithDecimal(first) : 0;
  const forms = asGroups | asDecimals;
  return forms === 0 ? 0 : forms | flags;
}

/** Returns a number with a decimal point and without separators between groups of digits. */
function plainText(bytes: Uint8Array, start: number, end: number, decimalSign: number): string {
  let text = '';
  for (const byte of bytes.subarray(start, end)) {
    const isNumberByte = (byte >= ZERO && byte <= NINE) || byte === 0x2d || (byte | 0x20) === 0x65;
    if (byte === decimalSign) text += '.';
    else if (isNumberByte) text += String.fromCharCode(byte);
  }
  return text;
}

/** Returns the position after the digits that begin at `at`. */
export function afterDigits(bytes: Uint8Array, at: number, end: number): number {
  while (at < end && bytes[at]! >= ZERO && bytes[at]! <= NINE) at += 1;
  return at;
}

/** Returns the position after leading blanks, including no-break spaces. */
export function startWithoutBlanks(bytes: Uint8Array, start: number, end: number): number {
  while (start < end) {
    const length = blankLength(bytes, start, end);
    if (length === 0) break;
    start += length;
  }
  return start;
}

export function endWithoutBlanks(bytes: Uint8Array, start: number, end: number): number {
  while (start < end) {
    if (bytes[end - 1] === BLANK || bytes[end - 1] === 9) end -= 1;
    else if (end - 2 >= start && blankLength(bytes, end - 2, end) === 2) end -= 2;
    else if (end - 3 >= start && blankLength(bytes, end - 3, end) === 3) end -= 3;
    else break;
  }
  return end;
}

/**
 * Returns the byte length of the blank at a position: a space, a tab, U+00A0, U+2009 or U+202F. Returns 0 for other characters.
 */
function blankLength(bytes: Uint8Array, at: number, end: number): number {
  const byte = bytes[at];
  if (byte === BLANK || byte === 9) return 1;
  if (byte === 0xc2 && at + 1 < end && bytes[at + 1] === 0xa0) return 2;
  const isThin = byte === 0xe2 && at + 2 < end && bytes[at + 1] === 0x80;
  return isThin && (bytes[at + 2] === 0xaf || bytes[at + 2] === 0x89) ? 3 : 0;
}

/**
 * Returns the separator at a position between digits: a point, comma, apostrophe (also for U+2019) or blank. Returns 0 for any
 * other character.
 */
function signAt(bytes: Uint8Array, at: number, end: number): number {
  if (at >= end) return 0;
  const byte = bytes[at]!;
  if (byte === POINT || byte === COMMA || byte === APOSTROPHE) return byte;
  if (byte === 0xe2 && at + 2 < end && bytes[at + 1] === 0x80 && bytes[at + 2] === 0x99) return APOSTROPHE;
  return byte !== 9 && blankLength(bytes, at, end) > 0 ? BLANK : 0;
}

const signLength = (byte: number): number => (byte === 0xc2 ? 2 : byte === 0xe2 ? 3 : 1);

const formsWithDecimal = (sign: number): number => (sign === POINT ? POINT_FORMS : sign === COMMA ? COMMA_FORMS : 0);

function formsGroupedBy(sign: number): number {
  if (sign === COMMA) return 1 << 1;
  if (sign === POINT) return 1 << 5;
  return sign === BLANK ? (1 << 2) | (1 << 6) : (1 << 3) | (1 << 7);
}
