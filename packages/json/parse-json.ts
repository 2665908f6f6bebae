import type { Json } from './json.js';
import { codePoints } from './text.js';

const MAX_DEPTH = 200;
/**
 * Number of values and keys that every JSON text may have. One more is allowed per `CHARACTERS_PER_VALUE` characters of the
 * maximum length.
 */
const MIN_VALUES = 10_000;
const CHARACTERS_PER_VALUE = 128;
const MAX_INTEGER_DIGITS = 4300;

/** Thrown for invalid JSON. The message is the same as in Python's parser. */
export class JsonSyntaxError extends Error {
  constructor(
    message: string,
    /** Index of the error in code points. */
    readonly position: number,
  ) {
    super(message);
  }
}

/** Thrown if JSON exceeds a limit: a nesting depth of 200, the number of values, or 4300 digits in an integer. */
export class JsonLimitError extends Error {}

/**
 * Parses a JSON text.
 *
 * `JSON.parse` cannot be used because it reorders keys that look like indexes, rounds large integers, and reports other
 * messages and positions than Python. NaN and infinities, which Python accepts, are syntax errors.
 *
 * @param maxLength maximum length of texts from the same source. It determines the maximum number of values and keys. Even a
 *   short text can contain many values, and each value takes a hundred times the memory of its text.
 * @throws JsonSyntaxError, JsonLimitError
 */
export function parseJson(text: string, maxLength = text.length): Json {
  return new Parser(text, MIN_VALUES + maxLength / CHARACTERS_PER_VALUE).document();
}

const QUOTE = 0x22;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const HEX_DIGITS = '0123456789abcdefABCDEF';
const ESCAPED = '"\\/bfnrt';
const LITERALS: readonly (readonly [string, Json])[] = [
  ['null', null],
  ['true', true],
  ['false', false],
];

class Parser {
  private at = 0;
  private values = 0;

  constructor(
    private readonly text: string,
    private readonly maxValues: number,
  ) {}

  document(): Json {
    this.skipSpace();
    const value = this.value(1);
    this.skipSpace();
    if (this.at < this.text.length) this.fail('Extra data');
    return value;
  }

  private value(depth: number): Json {
    this.count();
    const code = this.text.charCodeAt(this.at);
    if (code === QUOTE) return this.string();
    if (code === OPEN_OBJECT) return this.object(depth);
    if (code === OPEN_ARRAY) return this.array(depth);
    for (const [literal, value] of LITERALS) {
      if (this.text.startsWith(literal, this.at)) {
        this.at += literal.length;
        return value;
      }
    }
    return this.number();
  }

  private object(depth: number): Json {
    const object = new Map<string, Json>();
    if (this.open(depth) === CLOSE_OBJECT) return this.close(object);
    for (;;) {
      if (this.text.charCodeAt(this.at) !== QUOTE) this.fail('Expecting property name enclosed in double quotes');
      this.count();
      const key = this.string();
      if (this.skipSpace() !== COLON) this.fail("Expecting ':' delimiter");
      this.step();
      object.set(key, this.value(depth + 1));
      if (this.endOfItem(CLOSE_OBJECT)) return this.close(object);
    }
  }

  private array(depth: number): Json {
    const array: Json[] = [];
    if (this.open(depth) === CLOSE_ARRAY) return this.close(array);
    for (;;) {
      array.push(this.value(depth + 1));
      if (this.endOfItem(CLOSE_ARRAY)) return this.close(array);
    }
  }

  private count(): void {
    this.values += 1;
    if (this.values > this.maxValues) throw new JsonLimitError('too many values');
  }

  private open(depth: number): number {
    if (depth > MAX_DEPTH) throw new JsonLimitError('nested too deep');
    return this.step();
  }

  private close<Container extends Json>(container: Container): Container {
    this.at++;
    return container;
  }

  /** Returns true if the container ends here. If it does not, moves past the comma to the next item. */
  private endOfItem(closing: number): boolean {
    const code = this.skipSpace();
    if (code === closing) return true;
    if (code !== COMMA) this.fail("Expecting ',' delimiter");
    this.step();
    return false;
  }

  private string(): string {
    const start = this.at;
    const end = this.endOfText(start);
    const text = this.text.slice(start, end + 1);
    this.at = end + 1;
    if (!text.includes('\\')) return text.slice(1, -1);
    try {
      // JSON.parse is much faster than a loop, and does not allocate memory for each escape.
      return JSON.parse(text) as string;
    } catch {
      return this.failInText(start);
    }
  }

  /** Returns the index of the quote that ends a string. */
  private endOfText(start: number): number {
    for (let at = this.endOfPlainText(start + 1); ; at = this.endOfPlainText(at + 2)) {
      const code = this.text.charCodeAt(at);
      if (code === QUOTE) return at;
      // Errors earlier in the string are reported first.
      if (code !== BACKSLASH) this.failInText(start);
    }
  }

  /** Reports the first error in an invalid string. */
  private failInText(start: number): never {
    for (let from = start + 1; ;) {
      const end = this.endOfPlainText(from);
      if (end >= this.text.length) this.fail('Unterminated string starting at', start);
      if (this.text.charCodeAt(end) !== BACKSLASH) this.fail('Invalid control character at', end);
      if (end + 1 >= this.text.length) this.fail('Unterminated string starting at', start);
      if (this.text[end + 1] === 'u') {
        // Python also requires a character after the four digits, and reports the position of the `u` in both cases.
        if (end + 6 >= this.text.length || !this.isHex(end + 2, end + 6)) this.fail('Invalid \\uXXXX escape', end + 1);
        from = end + 6;
      } else {
        if (!ESCAPED.includes(this.text.charAt(end + 1))) this.fail('Invalid \\escape', end);
        from = end + 2;
      }
    }
  }

  private isHex(from: number, to: number): boolean {
    for (let at = from; at < to; at++) if (!HEX_DIGITS.includes(this.text.charAt(at))) return false;
    return true;
  }

  private endOfPlainText(from: number): number {
    for (let at = from; ; at++) {
      const code = this.text.charCodeAt(at);
      // Beyond the end, the code is NaN, and the comparison is false as well.
      if (!(code >= 0x20) || code === QUOTE || code === BACKSLASH) return at;
    }
  }

  private number(): number | bigint {
    const start = this.at;
    const digits = this.text.charCodeAt(start) === MINUS ? start + 1 : start;
    const end = this.text.charCodeAt(digits) === ZERO ? digits + 1 : this.endOfDigits(digits);
    if (end === digits) return this.fail('Expecting value');
    const rest = this.endOfExponent(this.endOfFraction(end));
    const text = this.text.slice(start, rest);
    if (rest === end) {
      if (end - digits > MAX_INTEGER_DIGITS) throw new JsonLimitError('integer too long');
      const value = Number(text);
      this.at = end;
      return Number.isSafeInteger(value) ? value + 0 : BigInt(text);
    }
    const value = Number(text);
    if (!Number.isFinite(value)) this.fail('Expecting value');
    this.at = rest;
    return value;
  }

  /** Returns the end of the fraction that begins at a position, or the position itself if there is no fraction. */
  private endOfFraction(at: number): number {
    if (this.text.charCodeAt(at) !== POINT) return at;
    const end = this.endOfDigits(at + 1);
    return end === at + 1 ? at : end;
  }

  /** Returns the end of the exponent that begins at a position, or the position itself if there is no exponent. */
  private endOfExponent(at: number): number {
    if (!['e', 'E'].includes(this.text.charAt(at))) return at;
    const digits = ['+', '-'].includes(this.text.charAt(at + 1)) ? at + 2 : at + 1;
    const end = this.endOfDigits(digits);
    return end === digits ? at : end;
  }

  /** Returns the end of the digits. A regular expression would need a stack that grows with the number of digits. */
  private endOfDigits(from: number): number {
    for (let at = from; ; at++) {
      const code = this.text.charCodeAt(at);
      if (!(code >= ZERO && code <= NINE)) return at;
    }
  }

  /** Skips a character and the white space after it. */
  private step(): number {
    this.at++;
    return this.skipSpace();
  }

  /** Moves to the next character that is not white space and returns its code, or NaN at the end. */
  private skipSpace(): number {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      // Usually the next character is not white space. Beyond the end, the code is NaN.
      if (!(code <= 0x20) || (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09)) return code;
      this.at++;
    }
  }

  private fail(message: string, at = this.at): never {
    throw new JsonSyntaxError(message, codePoints(this.text.slice(0, at)));
  }
}
