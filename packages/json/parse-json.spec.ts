import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cpuMs } from '../../test/support/cpu-time.js';
import { hasValidTexts, type Json, toJsonText, toPlain } from './json.js';
import { JsonLimitError, JsonSyntaxError, parseJson } from './parse-json.js';

function syntaxError(text: string): [string, number] {
  try {
    parseJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return [error.message, error.position];
    throw error;
  }
  throw new Error(`${text} was read`);
}

const object = (...members: [string, Json][]): Json => new Map(members);

describe('parseJson', () => {
  it.each<[string, Json]>([
    ['null', null],
    [' true\n', true],
    ['\t\r\nfalse', false],
    ['0', 0],
    ['-0', 0],
    ['-12', -12],
    ['3.0', 3],
    ['1.5e-3', 0.0015],
    ['1E+2', 100],
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', 9007199254740993n],
    ['-12345678901234567890', -12345678901234567890n],
    ['""', ''],
    ['"a\\"\\\\\\/\\b\\f\\n\\r\\t"', 'a"\\/\b\f\n\r\t'],
    ['"\\u0041\\uD83D\\ude00é😀"', 'A😀é😀'],
    ['"\\ud800"', '\ud800'],
    ['"\\u0000\u007f"', '\0\u007f'],
    ['[]', []],
    ['[ ]', []],
    ['[1,[2,"x"]]', [1, [2, 'x']]],
    ['{}', object()],
    ['{ }', object()],
    ['{"a":{"b":[null]}}', object(['a', object(['b', [null]])])],
  ])('reads %s', (text, value) => expect(parseJson(text)).toStrictEqual(value));

  it('keeps the order of keys, including keys that look like indexes', () => {
    const keys = ['b', '10', '2', '', '__proto__', 'constructor', 'a'];
    const text = `{${keys.map((key) => `${JSON.stringify(key)}:1`).join(',')}}`;
    expect([...(parseJson(text) as Map<string, Json>).keys()]).toEqual(keys);
  });

  it('uses the last value of a duplicate key, at the position of the first', () => {
    expect([...(parseJson('{"a":1,"b":2,"a":3}') as Map<string, Json>)]).toEqual([
      ['a', 3],
      ['b', 2],
    ]);
  });

  // Messages and positions reported by Python 3.10 to 3.12.
  it.each<[string, string, number]>([
    ['', 'Expecting value', 0],
    [' \n ', 'Expecting value', 3],
    ['nope', 'Expecting value', 0],
    ['tru', 'Expecting value', 0],
    ['True', 'Expecting value', 0],
    ["'a'", 'Expecting value', 0],
    ['-', 'Expecting value', 0],
    ['+1', 'Expecting value', 0],
    ['.5', 'Expecting value', 0],
    ['NaN', 'Expecting value', 0],
    ['[Infinity]', 'Expecting value', 1],
    ['{"a": -Infinity}', 'Expecting value', 6],
    ['[1e999]', 'Expecting value', 1],
    ['[', 'Expecting value', 1],
    ['[1,', 'Expecting value', 3],
    ['[1,]', 'Expecting value', 3],
    ['[1, }', 'Expecting value', 4],
    ['{"a":', 'Expecting value', 5],
    ['{"a":}', 'Expecting value', 5],
    ['{', 'Expecting property name enclosed in double quotes', 1],
    ['{bad', 'Expecting property name enclosed in double quotes', 1],
    ["{'a':1}", 'Expecting property name enclosed in double quotes', 1],
    ['{"a":1,}', 'Expecting property name enclosed in double quotes', 7],
    ['{"a":1, ', 'Expecting property name enclosed in double quotes', 8],
    ['{"a"', "Expecting ':' delimiter", 4],
    ['{"a" 1}', "Expecting ':' delimiter", 5],
    ['{"é" 1}', "Expecting ':' delimiter", 5],
    ['{"😀" 1}', "Expecting ':' delimiter", 5],
    ['[1', "Expecting ',' delimiter", 2],
    ['[1 2]', "Expecting ',' delimiter", 3],
    ['[01]', "Expecting ',' delimiter", 2],
    ['{"a":1 "b":2}', "Expecting ',' delimiter", 7],
    ['{"a":1', "Expecting ',' delimiter", 6],
    ['01', 'Extra data', 1],
    ['1.', 'Extra data', 1],
    ['1e', 'Extra data', 1],
    ['{} x', 'Extra data', 3],
    ['"😀" "', 'Extra data', 4],
    ['"a', 'Unterminated string starting at', 0],
    ['["a\\"', 'Unterminated string starting at', 1],
    ['"\\', 'Unterminated string starting at', 0],
    ['{"a', 'Unterminated string starting at', 1],
    ['"a\nb"', 'Invalid control character at', 2],
    ['"\0"', 'Invalid control character at', 1],
    ['"\\x"', 'Invalid \\escape', 1],
    ['"😀\\q"', 'Invalid \\escape', 2],
    ['"\\u12x4"', 'Invalid \\uXXXX escape', 2],
    ['"\\u12"', 'Invalid \\uXXXX escape', 2],
    ['"\\u1234', 'Invalid \\uXXXX escape', 2],
  ])('rejects %j: %s at %d', (text, message, position) => expect(syntaxError(text)).toEqual([message, position]));

  it.each(['[', '{"a":'])('accepts a nesting depth of at most 200: %s', (opening) => {
    const nested = (depth: number): string =>
      opening.repeat(depth) + (opening === '[' ? '' : '0') + (opening === '[' ? ']' : '}').repeat(depth);
    expect(() => parseJson(nested(200))).not.toThrow();
    expect(() => parseJson(nested(201))).toThrow(JsonLimitError);
    expect(() => parseJson(opening.repeat(1_000_000))).toThrow(JsonLimitError);
  });

  it('accepts integers with at most 4,300 digits', () => {
    expect(parseJson(`-${'9'.repeat(4300)}`)).toBe(BigInt(`-${'9'.repeat(4300)}`));
    expect(() => parseJson('9'.repeat(4301))).toThrow(JsonLimitError);
    expect(parseJson(`0.${'9'.repeat(5000)}`)).toBe(1);
  });

  it.each([
    ['numbers', '0', 1],
    ['arrays', '[]', 1],
    ['objects', '{}', 1],
    ['members', '{"a":0}', 3],
  ])('accepts at most 10,000 values plus one per 128 characters, and counts keys as values: %s', (_, item, values) => {
    const list = (count: number): string => `[${Array<string>(count).fill(item).join(',')}]`;
    const most = Math.floor((10_000 + 2 ** 20 / 128 - 1) / values);
    expect(parseJson(list(most), 2 ** 20)).toHaveLength(most);
    expect(() => parseJson(list(most + 1), 2 ** 20)).toThrow(JsonLimitError);
    const text = list(2 ** 20);
    expect(cpuMs(() => expect(() => parseJson(text, 2 ** 23)).toThrow(JsonLimitError))).toBeLessThan(500);
  });

  it.each([
    ['escape sequences', '\\u0001', 1],
    ['surrogate pairs', '\\ud83d\\ude00', 2],
    ['escaped quotes', '\\"', 1],
  ])('quickly parses an 8 MiB string of %s', (_, escape, length) => {
    const count = Math.floor(2 ** 23 / escape.length);
    const texts = escape.repeat(count);
    expect(cpuMs(() => expect(parseJson(`"${texts}"`)).toHaveLength(count * length))).toBeLessThan(1_000);
    expect(cpuMs(() => expect(() => parseJson(`"${texts}\\x"`)).toThrow(JsonSyntaxError))).toBeLessThan(1_000);
  });

  it.each<[string, typeof JsonLimitError | typeof JsonSyntaxError | undefined]>([
    ['9', JsonLimitError],
    ['-', JsonLimitError],
    ['1.', undefined],
    ['1e', JsonSyntaxError],
  ])('quickly parses or rejects an 8 MiB number that begins with %s', (start, error) => {
    const text = start + '1'.repeat(2 ** 23);
    const read = expect(() => parseJson(text));
    expect(cpuMs(() => (error === undefined ? read.not.toThrow() : read.toThrow(error)))).toBeLessThan(1_000);
  });

  it('returns the same values as JSON.parse, and they survive a round trip', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary' }), (text) => {
        const value = parseJson(text);
        expect(toPlain(value)).toEqual(JSON.parse(text));
        expect(JSON.parse(toJsonText(value))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('parses any text or rejects it with a documented error', () => {
    const piece = fc.oneof(
      fc.constantFrom(...'{}[]",:\\u0-1eE.', 'null', 'true', '"a"', '\n'),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join('');
        let native: unknown;
        try {
          native = JSON.parse(text);
        } catch {
          const [message, position] = syntaxError(text);
          expect(message).not.toBe('');
          expect(position).toBeLessThanOrEqual(text.length);
          return;
        }
        // Compared as JSON, because `parseJson` returns 0 for the integer -0, as Python does.
        expect(JSON.stringify(toPlain(parseJson(text)))).toBe(JSON.stringify(native));
      }),
    );
  });
});

describe('received JSON', () => {
  it('preserves exact values, the key order and unescaped letters when serialized', () => {
    const text = '{"10":12345678901234567890,"2":[1.5,"é😀",{"__proto__":null}],"":{}}';
    expect(toJsonText(parseJson(text))).toBe(text);
  });

  it('can be serialized inside values with dates, maps and undefined properties', () => {
    const value = { a: undefined, b: [undefined, new Date(0)], c: new Map([['d', 1n]]) };
    expect(toJsonText(value)).toBe('{"b":[null,"1970-01-01T00:00:00.000Z"],"c":{"d":1}}');
  });

  it('can be converted to plain values without special handling of keys', () => {
    const plain = toPlain(parseJson('{"__proto__":{"admin":true},"constructor":1,"n":12345678901234567890}'));
    expect(Object.getPrototypeOf(plain)).toBe(Object.prototype);
    expect(Object.entries(plain as object)).toEqual([
      ['__proto__', { admin: true }],
      ['constructor', 1],
      ['n', 12345678901234567000],
    ]);
  });

  it.each(['"\\u0000"', '["\\ud800"]', '{"a":[{"b":"\\udc00"}]}', '{"\\u0000":1}', '{"a":{"\\ud800":1}}'])(
    'is invalid if it contains a string that cannot be stored: %s',
    (text) => expect(hasValidTexts(parseJson(text))).toBe(false),
  );

  it('is valid if all of its strings can be stored', () =>
    expect(hasValidTexts(parseJson('{"é":[1,null,true,"😀"]}'))).toBe(true));
});
