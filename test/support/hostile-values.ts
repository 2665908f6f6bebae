import fc from 'fast-check';
import type { Dice } from './dice.js';

export type Schema = Record<string, unknown>;

/**
 * Lengths of repeated fragments with their weights. Large lengths are rare, because otherwise they would keep all 50
 * connections busy.
 */
const LENGTHS = { 1: 20, 30: 25, 300: 20, 3_000: 10, 30_000: 5, 300_000: 2, 1_500_000: 0.5 };
/** Approximate maximum length of a body in bytes, which exceeds the limits of all operations. */
const MAX_BODY = 12 * 1024 ** 2;
/** Percentage of bodies with many long fields, each up to the maximum length of a body. */
const HEAVY_PERCENT = 3;
const HEAVY_LENGTHS = [50_000, 300_000, 900_000];
const RANDOM_VALUES = 2_000;

/**
 * Strings that a pattern, a parser or a path rule may process slowly or misinterpret. `n` is their approximate length.
 */
const NUMBER_TEXTS: ((n: number) => string)[] = [
  (n) => `${'1'.repeat(n)}x`,
  (n) => `1${'_1'.repeat(n)}`,
  (n) => `-${'0'.repeat(n)}.${'0'.repeat(n)}`,
  (n) => `2024-01-01T00:00:00.${'9'.repeat(n)}Z`,
  (n) => `${' '.repeat(n)}1${' '.repeat(n)}x`,
  () => '0001-01-01T00:00+14:00',
  () => '9999-12-31T23:59:60.999999999-23:59',
  () => '1e400',
];
const TEXTS: ((n: number) => string)[] = [
  ...NUMBER_TEXTS,
  // Paths and names.
  (n) => '../'.repeat(n),
  (n) => '/'.repeat(n) + 'x',
  (n) => 'a/'.repeat(n) + 'b',
  (n) => '%2e%2e%2f'.repeat(n),
  (n) => '\\'.repeat(n),
  (n) => `a${'-'.repeat(n)}a`,
  (n) => `${'a-'.repeat(n)}`,
  (n) => `${'é\u0301'.repeat(n)}`,
  () => 'SKILL.md/x',
  () => '\u202egpj.exe',
  () => '.',
  () => '',
  // Characters.
  (n) => '\0'.repeat(n),
  (n) => '\ud800'.repeat(n),
  (n) => '\u0001'.repeat(n),
  (n) => '👩‍👩‍👧‍👦'.repeat(n),
  (n) => '\u2028'.repeat(n),
  (n) => '"\\'.repeat(n),
  // Media types, headers and URLs.
  (n) => `a/b${' '.repeat(n)};${' '.repeat(n)}`,
  (n) => `a/b${'; a=b'.repeat(n)}\n`,
  (n) => `http://${'a.'.repeat(n)}:99999/`,
  () => 'javascript:alert(1)',
  // Messages to the guide, formulas and models.
  (n) => `x ${'in unit '.repeat(n)}=1`,
  (n) => `${'('.repeat(n)}x${')'.repeat(n)} <= 1`,
  (n) => `maximize ${'3x + '.repeat(n)}y`,
  (n) => `${'x, '.repeat(n)}y binary, hard with penalty`,
  (n) => `between ${'1 and '.repeat(n)}2`,
  (n) => `${'-'.repeat(n)}x >= ${'9'.repeat(n)}`,
  (n) => 'x <= 1\n'.repeat(n),
  (n) => `max: ${'2 x '.repeat(n)}\nst\nc: x <= 1\nend`,
  () => 'solve',
  () => 'maximize 3x + 2y\nx + y <= 4\nx, y integer\nsolve it',
  // YAML front matter of a skill.
  (n) => `---\n${'a: ['.repeat(n)}\n---\n`,
  (n) => `---\nname: s1\ndescription: ${'&a [*a, '.repeat(n)}\n---\n`,
  (n) => `---\n${'? '.repeat(n)}\n---\n`,
  (n) => `---\nname: !!js/function s1\n${'- '.repeat(n)}\n---\n`,
  // SQL and SQL patterns.
  () => `'; DROP TABLE projects; --`,
  (n) => '%_'.repeat(n),
  () => '__proto__',
  () => 'constructor',
];

const NUMBERS = [
  ...[0, -0, 1, -1, 0.5, 200, 1000, 1001, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 53, 2 ** 53 + 2, 2 ** 63, -(2 ** 63)],
  ...[1e21, 1e300, -1e308, Number.MIN_VALUE, 5e-324],
];

/** JSON fragments that `JSON.stringify` never writes. They replace a value in the JSON text. */
const TOKENS: ((n: number) => string)[] = [
  () => 'NaN',
  () => '-Infinity',
  () => '1e999999',
  (n) => '9'.repeat(n),
  (n) => `0.${'1'.repeat(n)}`,
  (n) => '['.repeat(n) + ']'.repeat(n),
  (n) => '{"a":'.repeat(n) + '1' + '}'.repeat(n),
  (n) => `[${'{},'.repeat(n)}{}]`,
  (n) => `[${'0,'.repeat(n)}0]`,
  (n) => `[${`${'['.repeat(190)}${']'.repeat(190)},`.repeat(n / 380)}0]`,
  (n) => `{${Array.from({ length: n / 5 }, (_, index) => `"${index}":""`).join(',')}}`,
  (n) => `{${Array.from({ length: n / 8 }, (_, index) => `"../${index}":"x"`).join(',')}}`,
  () => '"\\ud800\\udfff\\u0000"',
  () => '"\u0007"',
  () => 'tru',
  () => '{"a":1,"a":2,"__proto__":{"b":1}}',
];

/** Placeholder for one of `TOKENS`, replaced in the JSON text. */
const MARK = 'any token';

/** Returns many different JSON values. */
export const randomValues = (seed: number): unknown[] =>
  fc.sample(fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }), { numRuns: RANDOM_VALUES, seed });

/** Generates values that a schema allows, and invalid variations of them. */
export class HostileValues {
  private isHeavy = false;
  /** Approximate number of bytes that the current body may still use. */
  private left = MAX_BODY;

  constructor(
    private readonly dice: Dice,
    /** Returns values by the name of a field or parameter, such as existing ids. */
    private readonly known: (name: string) => readonly string[],
    private readonly components: Record<string, Schema>,
    private readonly random: readonly unknown[],
  ) {}

  length(): number {
    const length = this.isHeavy ? this.dice.one(HEAVY_LENGTHS) : Number(this.dice.weighted(LENGTHS));
    // Some strings are several times longer than `n`.
    this.left -= 4 * length;
    return this.left > 0 ? length : 1;
  }

  text(): string {
    return this.dice.one(TEXTS)(this.length());
  }

  any(): unknown {
    const kind = this.dice.weighted({ text: 4, number: 2, random: 3, other: 1 });
    if (kind === 'text') return this.text();
    if (kind === 'number') return this.dice.one(NUMBERS);
    return kind === 'random' ? this.dice.one(this.random) : this.dice.one([null, true, false, [], {}, [null], [[[]]]]);
  }

  /** Returns a value that the schema allows, although it may break rules that the schema does not express. */
  valid(schema: Schema, name = '', depth = 0): unknown {
    const { $ref, anyOf, example, type } = schema;
    const options = schema['enum'] as unknown[] | undefined;
    if (typeof $ref === 'string') return this.valid(this.component($ref), name, depth);
    if (Array.isArray(anyOf)) return this.valid(this.dice.one(anyOf as Schema[]), name, depth);
    if (options !== undefined) return this.dice.one(options);
    if (this.isHeavy && depth > 0 && (type === 'object' || type === 'array') && this.dice.percent(20)) return MARK;
    if (type !== 'object' && type !== 'array' && this.dice.percent(this.isHeavy ? 40 : 3)) {
      const isNumber = type === 'integer' || schema['format'] === 'date-time';
      return this.dice.one(isNumber ? NUMBER_TEXTS : TEXTS)(this.length());
    }
    const known = this.known(name);
    if (type === 'string' && known.length > 0 && this.dice.percent(85)) return this.dice.one(known);
    if (example !== undefined && this.dice.percent(50)) return example;
    switch (type) {
      case 'string':
        return this.validText(schema);
      case 'integer':
      case 'number':
        return Math.max(Number(schema['minimum'] ?? 0), this.dice.below(20));
      case 'boolean':
        return this.dice.percent(50);
      case 'array': {
        const length = depth > 3 ? 0 : this.dice.below(4);
        return Array.from({ length }, () => this.valid(schema['items'] as Schema, name.replace(/s$/, ''), depth + 1));
      }
      case 'object':
        return this.validObject(schema, depth);
      default:
        return null;
    }
  }

  /** Returns the JSON text of a value that is valid, or invalid in one or more places. */
  body(schema: Schema): string {
    this.isHeavy = this.dice.percent(HEAVY_PERCENT);
    this.left = MAX_BODY;
    const text = this.bodyText(schema);
    this.isHeavy = false;
    return text;
  }

  private bodyText(schema: Schema): string {
    let value = this.valid(schema);
    const changes = this.isHeavy || this.dice.percent(30) ? 0 : 1 + this.dice.below(3);
    for (let change = 0; change < changes; change += 1) value = this.broken(value);
    const text = JSON.stringify(value);
    if (text.includes(MARK)) return text.replaceAll(JSON.stringify(MARK), () => this.dice.one(TOKENS)(this.length()));
    return changes > 0 && this.dice.percent(5) ? this.brokenText(text) : text;
  }

  private component($ref: string): Schema {
    const found = this.components[$ref.replace('#/components/schemas/', '')];
    if (found === undefined) throw new Error(`There is no ${$ref}`);
    return found;
  }

  private validText({ format, maxLength = 40 }: Schema): string {
    if (format === 'date-time') return new Date(Date.now() + this.dice.below(1e9) - 5e8).toISOString();
    const text = this.dice.one([
      'a',
      'Plan',
      'x + y <= 4',
      'maximize 3x + 2y',
      'b/c.txt',
      'models/plan.lp',
      'Hello',
      'é ',
    ]);
    return text.slice(0, Number(maxLength));
  }

  private validObject({ properties = {}, required = [], additionalProperties }: Schema, depth: number): unknown {
    const named = Object.entries(properties as Record<string, Schema>)
      .filter(([name]) => (required as string[]).includes(name) || this.dice.percent(50))
      .map(([name, schema]) => [name, this.valid(schema, name, depth + 1)]);
    const free = Array.from({ length: additionalProperties === undefined ? 0 : this.dice.below(4) }, () => [
      this.dice.one(['SKILL.md', 'a', 'expression', 'values', '0', 'name', 'domain']),
      typeof additionalProperties === 'object'
        ? this.valid(additionalProperties as Schema, '', depth + 1)
        : this.dice.one(this.random),
    ]);
    return Object.fromEntries([...free, ...named]) as unknown;
  }

  /** Returns the value with one random change. */
  private broken(value: unknown): unknown {
    if (Array.isArray(value) && value.length > 0 && this.dice.percent(70)) {
      const at = this.dice.below(value.length);
      if (this.dice.percent(15)) {
        const room = MAX_BODY / (1 + JSON.stringify(value[at] ?? null).length);
        return Array.from({ length: Math.min(this.length(), 30_000, Math.floor(room)) }, () => value[at] as unknown);
      }
      return value.map((item, index) => (index === at ? this.broken(item) : (item as unknown)));
    }
    if (typeof value === 'object' && value !== null && !Array.isArray(value) && this.dice.percent(85)) {
      const names = Object.keys(value);
      const change = this.dice.weighted({ broken: 8, gone: 1, more: names.length > 0 ? 1 : 5 });
      if (change === 'more' || names.length === 0) return { ...value, [this.text()]: this.any() };
      const name = this.dice.one(names);
      const { [name]: old, ...rest } = value as Record<string, unknown>;
      return change === 'gone' ? rest : { ...rest, [name]: this.broken(old) };
    }
    const kind = this.dice.weighted({ any: 8, token: 2, deep: 1 });
    if (kind === 'token') return MARK;
    return kind === 'deep' ? this.wrapped(value) : this.any();
  }

  private wrapped(value: unknown): unknown {
    let deep = value;
    for (let depth = this.dice.below(300); depth > 0; depth -= 1) deep = this.dice.percent(50) ? [deep] : { a: deep };
    return deep;
  }

  private brokenText(text: string): string {
    const at = this.dice.below(text.length);
    return this.dice.one([
      text.slice(0, at),
      `\ufeff${text}`,
      `${text}${text}`,
      text.slice(0, at) + this.text() + text.slice(at),
      text.replaceAll('"', "'"),
      '',
      ' '.repeat(this.length()),
      JSON.stringify(this.any()),
    ]);
  }
}
