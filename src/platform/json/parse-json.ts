import type { Json } from './json.js';
import { codePoints } from './text.js';

const MAX_DEPTH = 200;
const MAX_INTEGER_DIGITS = 4300;

/** Text that is no JSON, in the words of Python's parser. */
export class JsonSyntaxError extends Error {
  constructor(
    message: string,
    /** Index of the fault in code points. */
    readonly position: number,
  ) {
    super(message);
  }
}

/** JSON that goes beyond what is read: nested deeper than 200, or an integer of more than 4300 digits. */
export class JsonLimitError extends Error {}

/**
 * Reads a JSON text.
 *
 * `JSON.parse` cannot serve here: it reorders keys that look like indexes, rounds large integers and tells neither
 * Python's messages nor positions. NaN and infinities, which Python lets pass, are syntax errors.
 *
 * @throws JsonSyntaxError, JsonLimitError
 */
export function parseJson(text: string): Json {
  return new Parser(text).document();
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const FOUR_HEX = /[0-9a-f]{4}/iy;
const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};
const LITERALS: readonly (readonly [string, Json])[] = [
  ['null', null],
  ['true', true],
  ['false', false],
];

class Parser {
  private at = 0;

  constructor(private readonly text: string) {}

  document(): Json {
    this.skipSpace();
    const value = this.value(1);
    this.skipSpace();
    if (this.at < this.text.length) this.fail('Extra data');
    return value;
  }

  private value(depth: number): Json {
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

  private open(depth: number): number {
    if (depth > MAX_DEPTH) throw new JsonLimitError('nested too deep');
    return this.step();
  }

  private close<Container extends Json>(container: Container): Container {
    this.at++;
    return container;
  }

  /** Whether the container ends here; otherwise the next item begins behind the comma. */
  private endOfItem(closing: number): boolean {
    const code = this.skipSpace();
    if (code === closing) return true;
    if (code !== COMMA) this.fail("Expecting ',' delimiter");
    this.step();
    return false;
  }

  private string(): string {
    const start = this.at;
    let value = '';
    for (let from = start + 1; ;) {
      const end = this.endOfPlainText(from);
      const code = this.text.charCodeAt(end);
      value += this.text.slice(from, end);
      if (code === QUOTE) {
        this.at = end + 1;
        return value;
      }
      if (end >= this.text.length) this.fail('Unterminated string starting at', start);
      if (code !== BACKSLASH) this.fail('Invalid control character at', end);
      if (end + 1 >= this.text.length) this.fail('Unterminated string starting at', start);
      if (this.text[end + 1] === 'u') {
        value += this.unicodeEscape(end + 1);
        from = end + 6;
      } else {
        value += ESCAPES[this.text.charAt(end + 1)] ?? this.fail('Invalid \\escape', end);
        from = end + 2;
      }
    }
  }

  private endOfPlainText(from: number): number {
    for (let at = from; ; at++) {
      const code = this.text.charCodeAt(at);
      // The comparison is false behind the end, too, where the code is NaN.
      if (!(code >= 0x20) || code === QUOTE || code === BACKSLASH) return at;
    }
  }

  /** The code unit of `uXXXX`; a pair of surrogates makes one character by standing side by side. */
  private unicodeEscape(at: number): string {
    FOUR_HEX.lastIndex = at + 1;
    // Python wants a character behind the four digits as well, and the place of the `u` either way.
    if (at + 5 >= this.text.length || !FOUR_HEX.test(this.text)) this.fail('Invalid \\uXXXX escape', at);
    return String.fromCharCode(Number.parseInt(this.text.slice(at + 1, at + 5), 16));
  }

  private number(): number | bigint {
    NUMBER.lastIndex = this.at;
    const match = NUMBER.exec(this.text);
    if (match === null) return this.fail('Expecting value');
    const [text, fraction, exponent] = match;
    const value = Number(text);
    if (fraction === undefined && exponent === undefined) {
      if (text.replace('-', '').length > MAX_INTEGER_DIGITS) throw new JsonLimitError('integer too long');
      this.at += text.length;
      return Number.isSafeInteger(value) ? value + 0 : BigInt(text);
    }
    if (!Number.isFinite(value)) this.fail('Expecting value');
    this.at += text.length;
    return value;
  }

  /** Goes past one character and the space behind it. */
  private step(): number {
    this.at++;
    return this.skipSpace();
  }

  /** Goes to the next character that is no space and returns its code, NaN at the end. */
  private skipSpace(): number {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return code;
      this.at++;
    }
  }

  private fail(message: string, at = this.at): never {
    throw new JsonSyntaxError(message, codePoints(this.text.slice(0, at)));
  }
}
