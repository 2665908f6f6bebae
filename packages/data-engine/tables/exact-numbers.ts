import { MAX_DIGITS } from '../limits.js';

/** Maximum number of digits that programs print for a floating-point number without an exponent. */
const PRINTED_DIGITS = 17;
/** Maximum number of digits before the point in a printed number. Longer numbers are treated as amounts or identifiers. */
const MAX_PRINTED_INTEGER = 9;

/**
 * Returns true if a double holds a decimal exactly as written. The decimal must have at most 15 digits, or exactly the digits
 * with which the double is printed, such as 0.30000000000000004. Trailing zeros of a fraction do not count. Longer integers are
 * treated as identifiers.
 *
 * @param text digits with an optional sign, decimal point and exponent
 */
export function isExactDecimal(text: string): boolean {
  if (integerLength(text) > MAX_DIGITS) return false;
  const digits = digitsOf(text);
  return digits.length <= MAX_DIGITS || digitsOf(String(Number(text))) === digits;
}

/**
 * Returns true for exact decimals and for numbers that look like printed floating-point numbers. When the nearest double is
 * printed with as many digits, such a number differs from that double in the last digit at most.
 */
export function isExactNumber(text: string): boolean {
  if (isExactDecimal(text)) return true;
  const [integer, digits, number] = [integerLength(text), digitsOf(text), Number(text)];
  if (integer > MAX_DIGITS || !Number.isFinite(number)) return false;
  if (digits.length <= PRINTED_DIGITS) return integer <= MAX_PRINTED_INTEGER;
  // `toExponential` supports at most 100 digits.
  return /e/i.test(text) && digits.length <= 100 && digitsOf(number.toExponential(digits.length - 1)) === digits;
}

/** Returns the number of digits before the decimal point. */
const integerLength = (text: string): number => text.split(/[.e]/i, 1)[0]!.replace(/^[+-]?0*/, '').length;

/** Returns the significant digits of a number. */
function digitsOf(text: string): string {
  const digits = text.toLowerCase().split('e', 1)[0]!.replace(/[^\d]/g, '');
  let start = 0;
  while (digits[start] === '0') start += 1;
  let end = digits.length;
  while (end > start && digits[end - 1] === '0') end -= 1;
  return digits.slice(start, end);
}
