import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cpuMs } from '../../test/support/cpu-time.js';
import { printFormula, printIndex, withoutPlaces } from '../../test/support/formula-texts.js';
import { repeated } from '../../test/support/hostile-texts.js';
import {
  type Comparison,
  type Condition,
  type Expression,
  type Formula,
  type Index,
  isProblem,
  type Key,
  type Membership,
  type MemberOf,
  type Operand,
  type Relation,
} from './formula.js';
import { parseCondition, parseFormula, parseIndex } from './parse-formula.js';

/* Generates random formulas with every construct of the language. */

const position = 0;
const name = fc.constantFrom(
  ...['x', 'make', 'größe', 'e', 'sum', 'max', 'count', 'abs', 'for', 'in', 'where', 'first', 'position', 'is'],
);
const figure = fc.oneof(fc.nat(1000), fc.double({ min: 0, max: 1e12, noNaN: true })).map(Math.abs);
const text = fc.oneof(
  fc.constantFrom('oak chair', '3', 'a "b"', '"', ']', 'and', ''),
  fc.string({ unit: 'grapheme', maxLength: 5 }).map((one) => one.trim()),
);
const end = fc.record({
  kind: fc.constant('end' as const),
  which: fc.constantFrom('first' as const, 'last' as const),
  set: name,
  position: fc.constant(position),
});
const cyclic = fc.constantFrom({}, { isCyclic: true as const });
const membership: fc.Arbitrary<Membership> = fc.record({
  names: fc.array(name, { minLength: 1, maxLength: 3 }) as fc.Arbitrary<[string, ...string[]]>,
  set: name,
  position: fc.constant(position),
});
const { expression, index } = fc.letrec<{
  key: Key;
  member: MemberOf;
  expression: Expression;
  index: Index;
  condition: Condition;
  operand: Operand;
}>((tie) => ({
  key: fc.oneof(
    { maxDepth: 2 },
    fc
      .tuple(name, fc.oneof(fc.constant(0), fc.integer({ min: -100_000, max: 100_000 })), cyclic)
      .map(([one, lag, way]): Key => ({ kind: 'index', name: one, lag, ...(lag !== 0 && way), position })),
    fc.record({ kind: fc.constant('text' as const), text, position: fc.constant(position) }),
    end,
    tie('member').map((of) => ({ kind: 'label' as const, of, position })),
    fc.tuple(name, fc.boolean(), tie('expression'), cyclic).map(([one, negative, of, way]): Key => {
      const by: Expression = negative || of.kind === 'number' ? { kind: 'sum', parts: [{ negative: true, of }] } : of;
      return { kind: 'shift', name: one, by, ...way, position };
    }),
  ),
  member: fc
    .tuple(name, fc.array(tie('key'), { minLength: 1, maxLength: 3 }))
    .map(([one, keys]) => ({ kind: 'member' as const, name: one, keys: keys as [Key, ...Key[]], position })),
  expression: fc.oneof(
    { maxDepth: 4 },
    name.map((one) => ({ kind: 'name' as const, name: one })),
    figure.map((value) => ({ kind: 'number' as const, value })),
    tie('member'),
    end,
    name.map((one) => ({ kind: 'position' as const, name: one, position })),
    fc
      .tuple(tie('condition'), tie('expression'), tie('expression'))
      .map(([when, then, otherwise]) => ({ kind: 'choice' as const, when, then, otherwise })),
    fc
      .array(fc.record({ negative: fc.boolean(), of: tie('expression') }), { minLength: 1, maxLength: 3 })
      .filter((parts) => parts.length > 1 || parts[0]?.negative === true)
      .map((parts) => ({ kind: 'sum' as const, parts })),
    fc
      .tuple(
        tie('expression'),
        fc.array(fc.record({ divisor: fc.boolean(), of: tie('expression') }), { minLength: 1, maxLength: 2 }),
      )
      .map(([first, rest]) => ({ kind: 'product' as const, factors: [{ divisor: false, of: first }, ...rest] })),
    fc
      .tuple(fc.constantFrom('sum' as const, 'min' as const, 'max' as const), tie('index'), tie('expression'))
      .map(([by, over, of]) => ({ kind: 'total' as const, by, over, of, position })),
    fc
      .tuple(
        fc.constantFrom('min' as const, 'max' as const),
        fc.array(tie('expression'), { minLength: 1, maxLength: 3 }),
      )
      .map(([one, of]) => ({ kind: 'call' as const, name: one, of: of as [Expression, ...Expression[]], position })),
    fc
      .tuple(fc.constantFrom('abs' as const, 'round' as const, 'floor' as const, 'ceil' as const), tie('expression'))
      .map(([one, of]) => ({ kind: 'call' as const, name: one, of: [of] as [Expression], position })),
  ),
  index: fc
    .tuple(fc.array(membership, { minLength: 1, maxLength: 2 }), fc.option(tie('condition'), { nil: undefined }))
    .map(([over, where]) => ({ over: over as Index['over'], ...(where !== undefined && { where }) })),
  condition: fc.oneof(
    { maxDepth: 3 },
    fc
      .tuple(tie('operand'), fc.constantFrom<Comparison[]>('=', '<>', '<', '<=', '>', '>='), tie('operand'))
      .map(([left, comparison, right]) => ({ kind: 'compare' as const, left, comparison, right, position })),
    tie('condition').map((of) => ({ kind: 'not' as const, of })),
    fc
      .tuple(fc.array(tie('key'), { minLength: 1, maxLength: 3 }), name)
      .map(([keys, set]) => ({ kind: 'in' as const, keys: keys as [Key, ...Key[]], set, position })),
    fc
      .oneof(
        tie('member'),
        name.map((one) => ({ kind: 'name' as const, name: one })),
      )
      .map((of) => ({ kind: 'given' as const, of })),
    fc
      .tuple(fc.constantFrom('and', 'or'), fc.array(tie('condition'), { minLength: 2, maxLength: 3 }))
      .map(([kind, of]) => ({ kind, of }) as Condition),
  ),
  operand: fc.oneof(
    text.map((one) => ({ kind: 'text' as const, text: one, position })),
    tie('expression'),
  ),
}));
/** Makes all relations point in the same direction as the first inequality. */
function chain(relations: Relation[]): Relation[] {
  const way = relations.find((one) => one !== '=') ?? '=';
  return relations.map((one) => (one === '=' ? one : way));
}

const formula: fc.Arbitrary<Formula> = fc
  .tuple(expression, fc.array(fc.tuple(fc.constantFrom('<=' as const, '>=' as const, '=' as const), expression)))
  .map(([first, rest]) => ({
    sides: [first, ...rest.map(([, side]) => side)],
    relations: chain(rest.map(([one]) => one)),
  }));

/** Whether a string does not exceed the maximum length of a formula. */
const isShort = (one: string): boolean => one.length <= 2_000;

/** Parses a formula and prints it in canonical form. */
const meaning = (written: string): string => {
  const read = parseFormula(written);
  if (isProblem(read)) throw new Error(`${written}: ${read.problem}`);
  return printFormula(read);
};
const meaningOfIndex = (written: string): string => {
  const read = parseIndex(written);
  if (isProblem(read)) throw new Error(`${written}: ${read.problem}`);
  return printIndex(read);
};

describe('the parser', () => {
  it('parses a printed formula back into the same formula', () => {
    fc.assert(
      fc.property(formula, (one) => {
        const printed = printFormula(one);
        fc.pre(isShort(printed));
        expect({ printed, read: withoutPlaces(parseFormula(printed)) }).toEqual({ printed, read: withoutPlaces(one) });
      }),
      { numRuns: 300 },
    );
  });

  it('parses a printed index back into the same index', () => {
    fc.assert(
      fc.property(index, (over) => {
        const printed = printIndex(over);
        fc.pre(isShort(printed));
        expect({ printed, read: withoutPlaces(parseIndex(printed)) }).toEqual({ printed, read: withoutPlaces(over) });
      }),
      { numRuns: 300 },
    );
  });
});

describe('parseFormula with members', () => {
  it.each([
    ['make[p]', 'make[p]'],
    ['2make[p] + 3 ship [ o , d ]', '2 * make[p] + 3 * ship[o, d]'],
    ['make["oak chair"]', 'make["oak chair"]'],
    ['make[“oak chair”]', 'make["oak chair"]'],
    ['make["  oak chair "]', 'make["oak chair"]'],
    ['make["the ""big"" one", ""]', 'make["the ""big"" one", ""]'],
    ['make[“the "big" one”]', 'make["the ""big"" one"]'],
    ['shift[3, .5]', 'shift["3", ".5"]'],
    ['stock[t - 1] + stock[t+12] - stock[t −2]', 'stock[t - 1] + stock[t + 12] - stock[t - 2]'],
    ['stock[t - 0]', 'stock[t]'],
    ['x[x[', undefined],
    ['2 (x[p])', '2 * x[p]'],
  ])('parses %s as %s', (written, printed) => {
    const read = parseFormula(written);
    expect(isProblem(read) ? undefined : printFormula(read)).toBe(printed);
  });

  it('returns the positions of a member and its keys', () => {
    expect(parseFormula('2 * make[p, "a", t - 1]')).toMatchObject({
      sides: [
        {
          factors: [
            {},
            {
              of: {
                position: 4,
                keys: [
                  { kind: 'index', name: 'p', lag: 0, position: 9 },
                  { kind: 'text', text: 'a', position: 12 },
                  { kind: 'index', name: 't', lag: -1, position: 17 },
                ],
              },
            },
          ],
        },
      ],
    });
  });
});

describe('parseFormula with sums', () => {
  it.each([
    ['sum p in products: price[p] * make[p] / 2 + y', 'sum p in products: price[p] * make[p] / 2 + y'],
    ['(sum p in products: make[p]) + y', 'sum p in products: make[p] + y'],
    ['sum p in products: (make[p] + y)', 'sum p in products: (make[p] + y)'],
    ['sum p in products: -make[p] - y', 'sum p in products: (- make[p]) - y'],
    ['-sum p in products: make[p]', '- sum p in products: make[p]'],
    ['2 sum p in products: make[p]', '2 * (sum p in products: make[p])'],
    ['2 * -sum p in products: make[p]', '2 * (- sum p in products: make[p])'],
    ['x / (sum p in products: cost[p])', 'x / (sum p in products: cost[p])'],
    ['(sum p in products: make[p]) / 2', '(sum p in products: make[p]) / 2'],
    ['sum p in products: (sum t in weeks: make[p, t])', 'sum p in products: sum t in weeks: make[p, t]'],
    ['sum p in a: 2(sum q in b: x[q])(3)', 'sum p in a: 2 * (sum q in b: x[q]) * 3'],
    ['sum p in a: x[p] <= sum p in b: y[p]', 'sum p in a: x[p] <= sum p in b: y[p]'],
    ['sum p in a where sum q in b: c[q] > d[p]: x[p]', 'sum p in a where sum q in b: c[q] > d[p]: x[p]'],
    ['sum (o, d) in lanes, t in weeks: ship[o, d, t]', 'sum (o, d) in lanes, t in weeks: ship[o, d, t]'],
    ['sum (p) in products: make[p]', 'sum p in products: make[p]'],
  ])('parses %s as %s', (written, printed) => expect(meaning(written)).toBe(printed));
});

describe('parseFormula with functions', () => {
  it.each([
    ['max(a, 2b) + abs(-c[p])', 'max(a, 2 * b) + abs(- c[p])'],
    ['min(a)', 'min(a)'],
    ['round((a + b) / 2) x', 'round((a + b) / 2) * x'],
    ['2 ceil(a / floor(b))', '2 * ceil(a / floor(b))'],
    ['max p in products: price[p] * 2 + y', 'max p in products: price[p] * 2 + y'],
    ['min (o, d) in lanes where cost[o, d] > 1: cost[o, d]', 'min (o, d) in lanes where cost[o, d] > 1: cost[o, d]'],
    ['max (o) in cities: cost[o]', 'max o in cities: cost[o]'],
    ['sum p in a: max(b[p], (max q in c: d[q]))', 'sum p in a: max(b[p], max q in c: d[q])'],
    ['count p in products where price[p] > 5', 'sum p in products where price[p] > 5: 1'],
    ['3 count p in products + 1', '3 * (sum p in products: 1) + 1'],
    ['sum p in a where 2 > count q in b: x[p]', 'sum p in a where 2 > sum q in b: 1: x[p]'],
    ['max + min[p] <= 2 count - abs', 'max + min[p] <= 2 * count - abs'],
  ])('parses %s as %s', (written, printed) => expect(meaning(written)).toBe(printed));
});

describe('parseFormula with choices', () => {
  it.each([
    ['if t = 1 then start else stock[t - 1]', 'if t = 1 then start else stock[t - 1]'],
    ['(if t = 1 then 2 start + 1 else -4 a) * 3 + b', '(if t = 1 then 2 * start + 1 else - 4 * a) * 3 + b'],
    ['stock[t - 1] else start + make[t]', '(if stock[t - 1] is given then stock[t - 1] else start) + make[t]'],
    ['2 a[p] else -1 - b', '2 * (if a[p] is given then a[p] else - 1) - b'],
    [
      'if (o, d) not in lanes or cap[o] is not given then 0 else if p in big then 1 else 2',
      'if not (o, d) in lanes or not cap[o] is given then 0 else if p in big then 1 else 2',
    ],
    ['sum p in a: if b[p] is empty then 0 else x[p]', 'sum p in a: (if not b[p] is given then 0 else x[p])'],
    ['if <= then + else', 'if <= then + else'],
    ['x[t -- 1] + x[t ++ lead[t]] - x[first(weeks)]', 'x[t -- 1] + x[t ++ (lead[t])] - x[first(weeks)]'],
    ['price[product[o]] * position(t)', 'price[product[o]] * position(t)'],
    ['x[t - (2 n)] + x[t - n]', 'x[t - (2 * n)] + x[t - (n)]'],
  ])('parses %s as %s', (written, printed) => expect(meaning(written)).toBe(printed));
});

describe('parseIndex with conditions', () => {
  it.each([
    ['p in big', 'p in big'],
    ['01 in months', '"01" in months'],
    ['3 in big and "a" not in c', '"3" in big and not "a" in c'],
    ['(t - 1) in weeks', '(t - 1) in weeks'],
    ['(o, d) not in lanes', 'not (o, d) in lanes'],
    ['product[o] in big', 'product[o] in big'],
    ['limit[p] is given or limit[p] is missing', 'limit[p] is given or not limit[p] is given'],
    ['t <> last(weeks)', 't <> last(weeks)'],
    ['position(i) < position(j)', 'position(i) < position(j)'],
    ['is > 2 and given = is', 'is > 2 and given = is'],
    ['a[p] > 1 and b[p] < 2 or c[p] = 3', '(a[p] > 1 and b[p] < 2) or c[p] = 3'],
    ['a[p] > 1 or b[p] < 2 and c[p] = 3', 'a[p] > 1 or (b[p] < 2 and c[p] = 3)'],
    ['(a[p] > 1 or b[p] < 2) and c[p] = 3', '(a[p] > 1 or b[p] < 2) and c[p] = 3'],
    ['not a[p] > 1 and b[p] < 2', 'not a[p] > 1 and b[p] < 2'],
    ['not (a[p] > 1 and b[p] < 2)', 'not (a[p] > 1 and b[p] < 2)'],
    ['not not (a[p] > 1)', 'not not a[p] > 1'],
    ['not (a[p]) > 1', 'not a[p] > 1'],
    ['not -a[p] > 1', 'not - a[p] > 1'],
    ['((a[p] + 1) * 2 > 1)', '(a[p] + 1) * 2 > 1'],
    ['(a[p] + 1) > (2)', 'a[p] + 1 > 2'],
    ['((a[p]) + 1) + 2 > 1', '(a[p] + 1) + 2 > 1'],
    ['a[p] <> 1 and a[p] ≠ 2', 'a[p] <> 1 and a[p] <> 2'],
    ['a[p] != 1 and a[p]!=2', 'a[p] <> 1 and a[p] <> 2'],
    ['a[p]=<1 and a[p]≥2 and a[p]==3 and a[p]=>4', 'a[p] <= 1 and a[p] >= 2 and a[p] = 3 and a[p] >= 4'],
    ['region[p] = "north east"', 'region[p] = "north east"'],
    ['"north" = region[p]', '"north" = region[p]'],
    ['region[p] = ("north")', 'region[p] = "north"'],
    ['p <> q and p = "oak"', 'p <> q and p = "oak"'],
    ['a[p] > 2 and b[p] < 3', 'a[p] > 2 and b[p] < 3'],
    ['2 a[p] > 2 a[p] or 1 > 2', '2 * a[p] > 2 * a[p] or 1 > 2'],
    ['a[p] > sum q in b: 2 and 1 > 2', 'a[p] > sum q in b: 2 and 1 > 2'],
    ['a[p] > sum q in b: (c[q] + 2) or 1 > 2', 'a[p] > sum q in b: (c[q] + 2) or 1 > 2'],
    ['sum q in b where c[q] > 1: d[q] > 0', 'sum q in b where c[q] > 1: d[q] > 0'],
    ['a[p] > sum and b[p] > 2', 'a[p] > sum and b[p] > 2'],
    ['not > 3', 'not > 3'],
    ['not[p] > 3', 'not[p] > 3'],
    ['not not > 3', 'not not > 3'],
    ['not / 2 > 3 and where = in', 'not / 2 > 3 and where = in'],
  ])('parses %s as %s', (written, printed) =>
    expect(meaningOfIndex(`p in products where ${written}`)).toBe(`p in products where ${printed}`),
  );
});

describe('parseFormula with keywords as names', () => {
  it.each([
    ['sum + for + in + where + and + or + not', 'sum + for + in + where + and + or + not'],
    ['2 sum + 3 for <= 2 not', '2 * sum + 3 * for <= 2 * not'],
    ['2for', '2 * for'],
    ['2 and', '2 * and'],
    ['(x + y) or', '(x + y) * or'],
    ['sum <= 3', 'sum <= 3'],
    ['sum[p] + for[t]', 'sum[p] + for[t]'],
    ['sum sum in in: sum[sum]', 'sum sum in in: sum[sum]'],
    ['x <= sum + 2 sum', 'x <= sum + 2 * sum'],
    ['sum for in where where for > 1: in[for]', 'sum for in where where for > 1: in[for]'],
    ['x <= if max in in then 1 else 2', 'x <= if max in in then 1 else 2'],
    ['x <= if count in in and a > 1 then 1 else 2', 'x <= if count in in and a > 1 then 1 else 2'],
    ['sum p in a where max in in: x[p]', 'sum p in a where max in in: x[p]'],
  ])('accepts keywords as names in %s', (written, printed) => expect(meaning(written)).toBe(printed));

  /*
   * Formulas may use the keywords of indexed formulas as names. The keywords must not change the meaning of such a
   * formula: it must be parsed like a formula with other names, unless two names are adjacent.
   */
  it('parses them exactly like ordinary names', () => {
    const words = ['sum', 'for', 'in', 'where', 'and', 'or', 'not'];
    const others = ['xum', 'xor', 'xn', 'xhere', 'xnd', 'xr', 'xot'];
    const token = fc.constantFrom(
      ...words,
      ...words,
      'x',
      '2',
      '.5',
      '(',
      ')',
      '+',
      '-',
      '*',
      '/',
      '<=',
      '=',
      '≥',
      '^',
    );
    let formulas = 0;
    fc.assert(
      fc.property(fc.array(token, { minLength: 1, maxLength: 10 }), (tokens) => {
        const plain = tokens.map((one) => others[words.indexOf(one)] ?? one);
        const [read, known] = [parseFormula(tokens.join(' ')), parseFormula(plain.join(' '))];
        if (!isProblem(known)) {
          formulas += 1;
          const renamed = JSON.stringify(known).replace(
            /"x\w+"/g,
            (one) => `"${words[others.indexOf(one.slice(1, -1))]}"`,
          );
          expect(read).toEqual(JSON.parse(renamed));
        } else {
          expect(isProblem(read)).toBe(true);
        }
      }),
      { numRuns: 2_000 },
    );
    expect(formulas).toBeGreaterThan(100);
  });
});

describe('the parser with invalid formulas', () => {
  it.each([
    ['x <= 2 for p in products', 'Put the part after `for` in the index, not in the formula', 'for'],
    ['make[', 'The formula ends too early', ''],
    ['abs(a, b)', '`abs` takes a single value', ','],
    ['max()', 'Write a value in the parentheses, as in `max(price)`', ')'],
    ['max(a', 'A closing parenthesis is missing', ''],
    ['x <= max for p in a', 'Put the part after `for` in the index, not in the formula', 'for'],
    ['max p in a', 'Write `:` after the index of a maximum, as in `max p in products: make[p]`', ''],
    ['min p in a: + 2 <=', 'The formula ends too early', ''],
    ['count p in a: x[p]', 'A count has no expression after its index: use `sum` to add up values', ':'],
    ['make[p', 'A closing ] is missing', ''],
    ['make[p <= 1', 'A closing ] is missing before `<=`', '<='],
    ['make[]', 'Write a member in [ ], as in `make[p]`', ']'],
    ['make[p + "q"]', 'A lag must be a whole number, as in `t - 1`', '"q"'],
    ['make[p - 1.5]', 'A lag must be a whole number, as in `t - 1`', '1.5'],
    ['if t = 1 else 2', 'Write `then` after the condition, as in `if t = 1 then start else 0`', 'else'],
    ['if t = 1 then 2', 'Write `else` and another value, as in `if t = 1 then start else 0`', ''],
    ['if t then 2 else 3', 'A condition must compare two values, as in `demand[p] > 0`', 't'],
    [
      'if t = 1 then 2 else 3 + y',
      'Put the whole choice in parentheses, or everything after `else`: `(if t = 1 then 0 else x[t]) + y`',
      '+',
    ],
    ['stock[t - 1] else', 'The formula ends too early', ''],
    ['2 if t = 1 then 3 else 4', 'Write `*` before a choice, as in `2 * (if t = 1 then 3 else 4)`', 'if'],
    [
      'if t = 1 then x >= 2 else x >= 3',
      'Write a second constraint for the other case, as in `if open = 1 then x <= 5`, or put a choice of values in parentheses',
      'else',
    ],
    [
      'if t = 1 then (if t = 2 then x >= 2 else x >= 3)',
      'Write `else` and another value before the relation, as in `(if t = 1 then start else 0) <= 3`',
      '>= 2',
    ],
    [
      'x[t] >= 5 if t > 2',
      'Write a condition after the index, as in `for t in weeks where t > 2`, a choice, as in `if t > 2 then 5 else 0`, or a condition on a yes-or-no variable first, as in `if open = 0 then x <= 5`',
      'if',
    ],
    [
      'x <= y if (t > 2)',
      'Write a condition after the index, as in `for t in weeks where t > 2`, a choice, as in `if t > 2 then 5 else 0`, or a condition on a yes-or-no variable first, as in `if open = 0 then x <= 5`',
      'if',
    ],
    [
      'stock[t - 1] else 2 start',
      'Put everything after `else` in parentheses, as in `stock[t - 1] else (2 start)`',
      'start',
    ],
    [
      'stock[t - 1] else 2 * start',
      'Put everything after `else` in parentheses, as in `stock[t - 1] else (2 start)`',
      '*',
    ],
    [
      'stock[t - 1] else (2 start)(x)',
      'Put everything after `else` in parentheses, as in `stock[t - 1] else (2 start)`',
      '(x)',
    ],
    ['x + first()', 'Write the name of a set in parentheses, as in `first(weeks)`', ')'],
    ['position(t - 1)', 'Write an index name in parentheses, as in `position(t)`', '-'],
    ['make[t - -1]', 'A lag must be a whole number, as in `t - 1`', '-1'],
    ['make[t - - 1]', 'A lag must be a whole number, as in `t - 1`', '- 1'],
    ['make[t - 1.5]', 'A lag must be a whole number, as in `t - 1`', '1.5'],
    ['make[t - k / 2]', 'Put a calculated lag in parentheses, as in `t - (lead[t] + 1)`', '/'],
    ['make[t -- 1 + 2]', 'Put a calculated lag in parentheses, as in `t - (lead[t] + 1)`', '+'],
    [
      'make[last(weeks) - 1]',
      'Only an index name can have a lag, as in `make[t - 1]` with `for t in weeks where t = last(weeks)` after the formula',
      '-',
    ],
    [
      'make[price[t] + 1]',
      'Only an index name can have a lag, as in `make[t - 1]` with `for t in weeks where t = last(weeks)` after the formula',
      '+',
    ],
    ['sum p in a where p in 1, 2: x[p]', 'Write the name of a set, as in `p in products`', '1'],
    ['sum p in a where b[p] is 3: x[p]', 'Write `is given` or `is empty`, as in `limit[p] is given`', '3'],
    ['make[t - 100001]', 'A lag must be a whole number, as in `t - 1`', '100001'],
    ['make["oak]', '`"` at character 6 is not expected here', '"'],
    ['x["a"] + "b"', 'The text "b" is not a number: use texts only in conditions or as members in [ ]', '"b"'],
    ['x / sum p in a: c[p]', 'Put a sum after `/` in parentheses: `/ (sum ...)`', 'sum'],
    ['x / -sum p in a: c[p]', 'Put a sum after `/` in parentheses: `/ (sum ...)`', 'sum'],
    ['sum p in a x[p]', 'Write `:` after the index of a sum, as in `sum p in products: make[p]`', 'x'],
    ['sum p of a: x[p]', 'Write `in` and the name of a set, as in `p in products`', 'of'],
    ['sum p in 3: x[p]', 'Write the name of a set, as in `p in products`', '3'],
    ['sum (p, ) in a: x[p]', 'Write a name for the members, as in `p in products`', ')'],
    ['sum p in a where b[p]: x[p]', 'A condition must compare two values, as in `demand[p] > 0`', 'b'],
    ['sum p in a where b[p] > 1 and c[p]: x[p]', 'Compare this with something, as in `demand[p] > 0`', 'c'],
    ['sum p in a where not b[p]: x[p]', 'Compare this with something, as in `demand[p] > 0`', 'b'],
    ['sum p in a where 1 < b[p] < 2: x[p]', 'Compare two values at a time and join the comparisons with `and`', '<'],
    ['sum p in a where 1 < (b[p] < 2): x[p]', 'Expected a text or a number here, not a condition', '('],
    ['sum p in a where (b[p] > 1: x[p]', '`:` at character 27 is not expected here', ':'],
    ['sum p in a where', 'Write a condition after `where`, as in `where demand[p] > 0`', ''],
    ['sum p in a where: x[p]', 'Write a condition after `where`, as in `where demand[p] > 0`', ':'],
    ['sum p in a: <= 3', 'Write an expression after the `:` of a sum, as in `sum p in products: make[p]`', '<='],
    ['sum p in a:', 'Write an expression after the `:` of a sum, as in `sum p in products: make[p]`', ''],
  ])('reports the problem in %s', (written, problem, token) => {
    const read = parseFormula(written);
    expect(isProblem(read) && read.problem).toBe(problem);
    expect(isProblem(read) && written.slice(read.position).startsWith(token)).toBe(true);
    if (token === '') expect(read).toMatchObject({ position: written.length });
  });

  it('rejects formulas that are nested too deeply', () => {
    const nested = (before: string, behind: string, times: number) =>
      before.repeat(times) + 'x > 1' + behind.repeat(times);
    const deep = (text: string) => parseIndex(`p in s where ${text}`);
    const problem = expect.stringMatching(/^More than 50 (?:sums|parentheses|`not`) are nested$/);
    for (const [before, behind] of [
      ['not ', ''],
      ['(', ')'],
      ['sum p in s where ', ': x > 1'],
    ] as const) {
      expect(deep(nested(before, behind, 50))).toMatchObject({ where: {} });
      expect(deep(nested(before, behind, 51))).toMatchObject({ problem });
    }
  });

  it.each([
    ['p', 'Write `in` and the name of a set, as in `p in products`', 1],
    ['p in products, ', 'Write a name for the members, as in `p in products`', 15],
    ['p in products where', 'Write a condition after `where`, as in `where demand[p] > 0`', 19],
    ['for p in products', 'Write an index without `for`, as in `p in products`', 0],
    ['for (o, d) in lanes', 'Write an index without `for`, as in `p in products`', 0],
    ['p in products q in weeks', '`q` at character 15 is not expected here', 14],
    ['p in products: x', '`:` at character 14 is not expected here', 13],
  ])('rejects the index %s', (written, problem, at) => {
    expect(parseIndex(written)).toMatchObject({ problem, position: at });
  });
});

describe('the parser with hostile input', () => {
  it.each([
    ...[
      '(',
      '[',
      '"',
      '“',
      '”',
      'not ',
      'not (',
      'sum p in ',
      'sum (',
      'sum p in s where ',
      'sum p in s: ',
      '(sum p in s: ',
    ],
    ...[
      'x[',
      'x[p, ',
      'x["',
      'x[""',
      'x[p - 1',
      'sum ',
      'for ',
      'for (',
      ' in ',
      ' where ',
      'a and ',
      'a = b and ',
      '(a or ',
    ],
    ...[
      'sum p in s where (',
      'sum p in s where not (',
      '<> ',
      '< >',
      '≠',
      '(not ',
      '((a = b) and ',
      'p in s, ',
      '(p, ',
    ],
  ])('parses or rejects repetitions of %j in under 50 ms', (shape) => {
    for (const before of ['', 'x <= ', 'p in s where ', 'sum p in s where ', 'x["']) {
      const hostile = repeated(shape, 2_000, [before, '']);
      const read = (): void => {
        parseFormula(hostile);
        parseIndex(hostile);
      };
      read();
      expect(cpuMs(read)).toBeLessThan(50);
    }
  });
});

it.each(['min', 'max', 'sum', 'for', 'in', 'where', 'integer', 'key', 'not', 'and', 'or', 'binary'])(
  'parses the keyword %s as the name of an indexed column',
  (word) => {
    const formula = parseFormula(`${word}[i, j] <= flow[i, j] <= 2 * ${word}[i, j]`);
    expect(formula).toMatchObject({ sides: [{ kind: 'member', name: word }, { name: 'flow' }, { kind: 'product' }] });
    expect(parseCondition(`${word}[i, j] > 0 and flow[i, j] < ${word}[i, j]`)).toMatchObject({ kind: 'and' });
    expect(parseFormula(`sum (i, j) in arcs: ${word}[i, j] * flow[i, j] <= 3`)).toMatchObject({ relations: ['<='] });
  },
);

describe('a relation under a condition', () => {
  it.each(['if open = 0, then x <= 5', 'if open = 0 , then x <= 5'])('may have a comma before `then`: %s', (text) => {
    expect(parseFormula(text)).toMatchObject({ when: { kind: 'compare' }, relations: ['<='] });
  });

  it('explains an implication between two relations', () => {
    expect(parseFormula('open = 0 => x = 0')).toMatchObject({
      problem: expect.stringContaining('an implication as in `if open = 0 then x <= 0`'),
    });
  });
});
