import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { printFormula, withoutPlaces } from '../../test/support/formula-texts.js';
import { type Expression, type Formula, isProblem, namesIn } from './formula.js';
import { parseFormula } from './parse-formula.js';
import { linearize, linearRows } from './linear.js';

const name = fc.constantFrom('x', 'y', 'x1', '_z', 'größe', 'ширина', 'e', 'e2', 'price');
const figure = fc.oneof(fc.nat(1000), fc.double({ min: 0, max: 1e12, noNaN: true }));
const { expression } = fc.letrec<{ expression: Expression; leaf: Expression }>((tie) => ({
  leaf: fc.oneof(
    figure.map((value) => ({ kind: 'number' as const, value: Math.abs(value) })),
    name.map((text) => ({ kind: 'name' as const, name: text })),
  ),
  expression: fc.oneof(
    { maxDepth: 4 },
    tie('leaf'),
    fc
      .array(fc.record({ negative: fc.boolean(), of: tie('expression') }), { minLength: 1, maxLength: 4 })
      .filter((parts) => parts.length > 1 || parts[0]?.negative === true)
      .map((parts) => ({ kind: 'sum' as const, parts })),
    fc
      .tuple(
        tie('expression'),
        fc.array(fc.record({ divisor: fc.boolean(), of: tie('expression') }), { minLength: 1, maxLength: 3 }),
      )
      .map(([first, rest]) => ({ kind: 'product' as const, factors: [{ divisor: false, of: first }, ...rest] })),
  ),
}));
/** Formulas whose relations all point in the same direction. */
const formula: fc.Arbitrary<Formula> = fc
  .constantFrom('<=' as const, '>=' as const)
  .chain((way) =>
    fc.tuple(expression, fc.array(fc.tuple(fc.constantFrom(way, '=' as const), expression), { maxLength: 3 })),
  )
  .map(([first, rest]) => ({ sides: [first, ...rest.map(([, side]) => side)], relations: rest.map(([one]) => one) }));

/** Evaluates an expression with plain arithmetic. */
function valueOf(one: Expression, point: ReadonlyMap<string, number>): number {
  switch (one.kind) {
    case 'number':
      return one.value;
    case 'name':
      return point.get(one.name) ?? NaN;
    case 'sum':
      return one.parts.reduce((sum, { negative, of }) => sum + (negative ? -1 : 1) * valueOf(of, point), 0);
    case 'product':
      return one.factors.reduce((product, { divisor, of }) => {
        const factor = valueOf(of, point);
        return divisor ? product / factor : product * factor;
      }, 1);
    default:
      throw new Error('It has an index');
  }
}

const parsed = (text: string): Formula => {
  const read = parseFormula(text);
  if (isProblem(read)) throw new Error(`${text}: ${read.problem}`);
  return read;
};
const NONE: ReadonlyMap<string, number> = new Map();

describe('parseFormula', () => {
  it('parses a printed formula back into the same formula', () => {
    fc.assert(fc.property(formula, (one) => expect(parseFormula(printFormula(one))).toEqual(one)));
  });

  it.each([
    ['3x+2*y', '3 * x + 2 * y'],
    ['3 x − 2·y', '3 * x - 2 * y'],
    ['-x', '- x'],
    ['--x', 'x'],
    ['2(x+y)(3)', '2 * (x + y) * 3'],
    ['(x + y) z', '(x + y) * z'],
    ['1/2 x', '1 / 2 * x'],
    ['2e3x + .5y + 3.z + 2ex', '2000 * x + 0.5 * y + 3 * z + 2 * ex'],
    ['x * -2', 'x * (- 2)'],
    ['x + 2 =< 3y - 1', 'x + 2 <= 3 * y - 1'],
    ['x ≥ 1', 'x >= 1'],
    ['x => 1', 'x >= 1'],
    ['x < 1', 'x < 1'],
    ['x == 1', 'x = 1'],
    ['0<=x≤4', '0 <= x <= 4'],
    ['((x))', 'x'],
  ])('parses %j as %s', (text, meaning) => expect(printFormula(parsed(text))).toBe(meaning));

  it.each([
    ['', 'The formula ends too early', 0, ''],
    ['3x +', 'The formula ends too early', 4, ''],
    ['x y', '`y` at character 3 is not expected here', 2, 'y'],
    ['x integer', '`integer` at character 3 declares a variable, which is not allowed in a formula', 2, 'integer'],
    ['x 2', '`2` at character 3 is not expected here', 2, '2'],
    ['2 3', '`3` at character 3 is not expected here', 2, '3'],
    [
      'f(x)',
      '`f` is not a function: use `min`, `max`, `abs`, `round`, `floor`, `ceil` or `tiered`, or write members in [ ], as in `make[p]`',
      1,
      '(',
    ],
    ['x^3', 'Only squares are possible, as in `x^2`', 2, '3'],
    ['2x³ + 3x', '`³` at character 3 is not expected here', 2, '³'],
    ['10 x - x⁻¹', '`⁻` at character 9 is not expected here', 8, '⁻'],
    ['xⁿ', '`ⁿ` at character 2 is not expected here', 1, 'ⁿ'],
    ['3,5x', '`,` at character 2 is not expected here', 1, ','],
    ['x <> 3', '`>` at character 4 is not expected here', 3, '>'],
    ['x <= ', 'The formula ends too early', 5, ''],
    ['(x + 1', 'A closing parenthesis is missing', 6, ''],
    ['x + 1)', '`)` at character 6 is not expected here', 5, ')'],
    ['x + 😀', '`😀` at character 5 is not expected here', 4, '😀'],
    ['1e999', 'The number 1e999 is too large', 0, '1e999'],
  ])('returns a problem for %j', (text, problem, position, token) => {
    expect(parseFormula(text)).toEqual({ problem, position, token });
  });

  it('rejects formulas that are too long or too deeply nested', () => {
    expect(parseFormula(`${'('.repeat(50)}x${')'.repeat(50)}`)).toMatchObject({ relations: [] });
    expect(parseFormula('('.repeat(1_999))).toMatchObject({ problem: expect.stringContaining('are nested') });
    expect(parseFormula('x'.repeat(2_001))).toEqual({ problem: 'A formula can have at most 2000 characters' });
    const long = parsed(Array.from({ length: 400 }, (_, index) => `x${index % 100}`).join('+'));
    expect(namesIn(long)).toHaveLength(100);
    const chain = parsed(Array.from({ length: 1_000 }, () => 'a').join('<'));
    expect(linearRows(chain, NONE)).toEqual([{ terms: new Map(), lower: -Infinity, upper: 0 }]);
    expect(isProblem(parseFormula(`${'-'.repeat(1_900)}x`))).toBe(false);
    expect(isProblem(parseFormula(`x${' '.repeat(1_900)}`))).toBe(false);
  });

  it('returns a formula or a problem with a position for any text', () => {
    const soup = fc.array(
      fc.oneof(
        fc.constantFrom(...'xy12.()+-*/<>=≤ eß,^[]:"'),
        fc.constantFrom(' sum ', ' x in s', ' where '),
        fc.string({ unit: 'binary', maxLength: 3 }),
      ),
    );
    fc.assert(
      fc.property(soup, (parts) => {
        const text = parts.join('');
        const read = parseFormula(text);
        if (!isProblem(read)) expect(withoutPlaces(parseFormula(printFormula(read)))).toEqual(withoutPlaces(read));
        else expect(text.startsWith(read.token ?? '-', read.position)).toBe(true);
      }),
      { examples: [[['x', '<', 'y']]] },
    );
  });
});

describe('linearize and linearRows', () => {
  const point = new Map(['x', 'y', 'x1', '_z', 'größe', 'ширина', 'e', 'e2'].map((key, index) => [key, index - 3.5]));
  const price = new Map([['price', 2.5]]);

  it('preserve the value of an expression', () => {
    let seen = 0;
    fc.assert(
      fc.property(expression, (one) => {
        const linear = linearize(one, price);
        const expected = valueOf(one, new Map([...point, ...price]));
        if (isProblem(linear) || !Number.isFinite(expected)) return;
        const terms = [...linear.terms].map(([key, coefficient]) => coefficient * (point.get(key) ?? NaN));
        const value = terms.reduce((sum, term) => sum + term, linear.constant);
        // Values near the largest number may overflow if they are added in another order.
        if ([linear.constant, ...terms].some((term) => Math.abs(term) > 1e300)) return;
        seen += 1;
        const scale = Math.max(1, Math.abs(linear.constant), ...terms.map(Math.abs));
        expect(Math.abs(value - expected) / scale).toBeLessThan(1e-6);
      }),
    );
    expect(seen).toBeGreaterThan(20);
  });

  it.each([
    ['1 / x', 'It is not linear: it divides by the variable x'],
    ['x / (2 - 2)', 'It divides by 0'],
    ['1e300 * 1e300 * x', 'A number in the formula becomes too large'],
    ['2 round(x)', '`round` needs known values, but it contains the variable x'],
  ])('return a problem for %s', (text, problem) => expect(linearize(parsed(text).sides[0], NONE)).toEqual({ problem }));

  it.each([
    ['x * y', 'It is not linear: the variables x and y are multiplied, and neither is a yes-or-no variable'],
    ['(x + 1) * 2 * x', 'It is not linear: the variables x and x are multiplied, and neither is a yes-or-no variable'],
    ['3 x²', 'It is not linear: the variables x and x are multiplied, and neither is a yes-or-no variable'],
    ['2 max(x, 3)', '`max` needs known values, but it contains the variable x'],
  ])('return a problem for %s, which a solve may allow', (text, problem) =>
    expect(linearize(parsed(text).sides[0], NONE)).toEqual({ problem, isNonlinear: true }),
  );

  it.each<[string, [Record<string, number>, number, number][]]>([
    ['x + 2 <= 3y - 1', [[{ x: 1, y: -3 }, -Infinity, -3]]],
    ['4 >= x', [[{ x: 1 }, -Infinity, 4]]],
    ['0 <= x <= 4', [[{ x: 1 }, 0, 4]]],
    ['price * x = 5', [[{ x: 2.5 }, 5, 5]]],
    ['(x - x) y >= 1', [[{}, 1, Infinity]]],
    ['max(price, 2, 1) x + min(price, 2) >= abs(-4)', [[{ x: 2.5 }, 2, Infinity]]],
    ['round(price) x <= round(-price) + floor(price) - ceil(price)', [[{ x: 3 }, -Infinity, -4]]],
    ['floor(0.29 * 100) x <= ceil(1.1 * 10)', [[{ x: 29 }, -Infinity, 11]]],
    ['round(0.285 * 100) x <= floor(-2.5)', [[{ x: 29 }, -Infinity, -3]]],
    ['floor(1000000000.6) x <= ceil(12345678901.2)', [[{ x: 1_000_000_000 }, -Infinity, 12_345_678_902]]],
    ['floor(1e12 + 0.5) x <= ceil(-1e12 - 0.5)', [[{ x: 1e12 }, -Infinity, -1e12]]],
    [
      'x <= y <= 4',
      [
        [{ x: 1, y: -1 }, -Infinity, 0],
        [{ y: 1 }, -Infinity, 4],
      ],
    ],
  ])('return the rows of %s', (text, rows) => {
    expect(linearRows(parsed(text), price)).toEqual(
      rows.map(([terms, lower, upper]) => ({ terms: new Map(Object.entries(terms)), lower, upper })),
    );
  });

  it('return a problem for a formula without a relation', () => {
    expect(linearRows(parsed('x + 1'), NONE)).toEqual({ problem: 'The formula needs <=, >= or =' });
  });
});
