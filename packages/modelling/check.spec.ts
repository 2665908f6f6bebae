import { describe, expect, it } from '@jest/globals';
import { checkFormula, checkIndex, type Use } from './check.js';
import { type Index, isProblem } from './formula.js';
import { parseFormula, parseIndex } from './parse-formula.js';
import type { Vocabulary } from './vocabulary.js';

function read<Read extends object>(made: Read): Exclude<Read, { problem: string }> {
  if (isProblem(made)) throw new Error(made.problem);
  return made as Exclude<Read, { problem: string }>;
}
const over = (text: string): Index => read(parseIndex(text));

/** Wraps the rows of a test table, so that trailing cells may be missing. */
const rows = <Row extends unknown[]>(of: Row[]): [Row][] => of.map((row) => [row]);

/** Canvas with products that are made every week and shipped between cities. */
const canvas: Vocabulary = {
  sets: new Map([
    ['products', { arity: 1 }],
    ['weeks', { arity: 1 }],
    ['cities', { arity: 1 }],
    ['lanes', { arity: 2 }],
    ['demand', { arity: 2 }],
  ]),
  columns: new Map([
    ['cost', [{ set: 'products', type: 'number' }]],
    ['region', [{ set: 'products', type: 'text' }]],
    ['distance', [{ set: 'lanes', type: 'number' }]],
    ['demand', [{ set: 'demand', type: 'number' }]],
    [
      'size',
      [
        { set: 'products', type: 'number' },
        { set: 'cities', type: 'number' },
      ],
    ],
  ]),
  families: new Map([
    ['make', { index: over('p in products, t in weeks') }],
    ['open', { index: over('c in cities') }],
    ['ship', { index: over('(o, d) in lanes') }],
  ]),
  variables: new Set(['x', 'y']),
  values: new Map([['price', 3]]),
};

/** Returns the problem with a formula and the text at its position. */
function problemOf(text: string, use: Use, index?: string): [problem: string | undefined, place: string | undefined] {
  const { problem } = checkFormula(
    read(parseFormula(text)),
    index === undefined ? undefined : over(index),
    use,
    canvas,
  );
  const at = problem?.position;
  return [problem?.problem, at === undefined ? undefined : text.slice(at)];
}

describe('checkFormula with a valid formula', () => {
  it.each(
    rows<[string, Use, string?]>([
      ['sum p in products, t in weeks: (price - cost[p]) * make[p, t]', 'objective'],
      ['x + 2 * open["Ulm"] <= price', 'constraint'],
      ['make[p, t] <= make[p, t - 1] + demand[p, t]', 'constraint', 'p in products, t in weeks'],
      ['sum (c, d) in lanes: distance[c, d] * ship[c, d] <= 4 * open[c]', 'constraint', 'c in cities'],
      ['sum p in products where region[p] = "north" and p <> "oak": make[p, 3] >= 1', 'constraint'],
      ['cost[p] * t', 'bound', 'p in products, t in weeks where t > 3 and not (region[p] = region["oak"])'],
      ['make[p, t] <= demand[p, t]', 'constraint', '(p, t) in demand'],
      ['x / cost["oak"] + y', 'kpi'],
      ['make[p, t] <= max(cost[p], ceil(price / 2)) * x', 'constraint', 'p in products, t in weeks'],
      ['make[p, t] >= make[p, t - 1] else cost[p]', 'constraint', 'p in products, t in weeks'],
      ['(if region[p] = "north" and t > 1 then make[p, t - 1] else x) <= 3', 'constraint', 'p in products, t in weeks'],
      ['make[p, last(weeks)] <= position(p)', 'constraint', 'p in products where p not in cities'],
      ['sum (o, d) in lanes where (d, o) not in lanes and cost[first(products)] is given: ship[o, d - 1]', 'objective'],
      ['sum c in cities: open[c] * x + x^2 - 2 x * y', 'objective'],
      ['abs(x - 3) + (max c in cities: 2 open[c] - y)', 'objective'],
      ['max(3, make["oak", t], x) <= 5', 'constraint', 't in weeks'],
      ['cost[region[p]] * make[p, t - cost[p]] <= 3', 'constraint', 'p in products, t in weeks'],
      ['(max p in products: cost[p]) + (count p in products where region[p] = "north")', 'bound'],
    ]),
  )('accepts %j', ([text, use, index]) => {
    expect(problemOf(text, use, index)).toEqual([undefined, undefined]);
  });

  it('reports each unknown name only once', () => {
    const formula = read(parseFormula('a * 2 + sum p in products where b[p] > c: d[p] + a <= x'));
    expect(checkFormula(formula, undefined, 'constraint', canvas)).toEqual({ unknown: ['a', 'b', 'c', 'd'] });
  });
});

describe('checkFormula with an invalid formula', () => {
  it.each(
    rows<[string, Use, string | undefined, string, string?]>([
      ['x <= 3', 'objective', undefined, 'An objective cannot contain <=, >= or ='],
      ['x <= 3', 'kpi', undefined, 'A KPI cannot contain <=, >= or ='],
      ['price <= 3', 'bound', undefined, 'A bound cannot contain <=, >= or ='],
      ['x + 3', 'constraint', undefined, 'The formula needs <=, >= or ='],
      [
        'x * y >= 3',
        'constraint',
        undefined,
        'It is not linear: the variables x and y are multiplied, and neither is a yes-or-no variable',
      ],
      ['x * y^2', 'objective', undefined, 'It multiplies three variables, and an objective can multiply only two'],
      [
        '(sum c in cities: open[c] * x) <= 3',
        'constraint',
        undefined,
        'It is not linear: the variables open and x are multiplied, and neither is a yes-or-no variable',
      ],
      ['price / x', 'objective', undefined, 'It is not linear: it divides by the variable x'],
      [
        '2 * open[c]',
        'bound',
        'c in cities',
        'A bound must be constant, but it contains the variable open: write a constraint instead',
      ],
      [
        'floor(x - 3)',
        'objective',
        undefined,
        '`floor` needs known values, but it contains the variable x',
        'floor(x - 3)',
      ],
      [
        'max(3, make["oak", t])',
        'bound',
        't in weeks',
        'A bound must be constant, but it contains the variable make: write a constraint instead',
      ],
      ['make <= 3', 'constraint', undefined, 'make is indexed by p, t: write `make[p, t]`'],
      ['2 * cost', 'objective', undefined, 'cost is a column of products: write `cost[p]`'],
      ['2 * cost', 'bound', 'q in products', 'cost is a column of products: write `cost[q]`'],
      ['2 * cost', 'bound', 'c in cities', 'cost is a column of products: write `cost[p]`'],
      ['2 * cost', 'bound', '(o, d) in lanes', 'cost is a column of products: write `cost[o]` or `cost[d]`'],
      ['2 * distance', 'objective', undefined, 'distance is a column of lanes: write `distance[p, q]`'],
      ['products', 'objective', undefined, 'products is a set: sum over its members, as in `sum p in products: ...`'],
      ['2 * x["oak"]', 'objective', undefined, 'x has no index: write it without [ ]', 'x["oak"]'],
      ['2 * price["oak"]', 'objective', undefined, 'price has no index: write it without [ ]', 'price["oak"]'],
      [
        '2 + region["oak"]',
        'objective',
        undefined,
        'region contains texts, so you cannot calculate with it: compare it in a condition, as in `where region[...] = "..."`',
        'region["oak"]',
      ],
      [
        '2 + size["oak"]',
        'objective',
        undefined,
        'size is a column of both products and cities: rename one of them in the field `columns` of its data card, as in `cities_size of cities: column "size"`, or in `values` if the card has no file',
        'size["oak"]',
      ],
      [
        'x + make["oak"]',
        'objective',
        undefined,
        'make is indexed by p, t: write 2 members in [ ], as in `make[p, t]`',
        'make["oak"]',
      ],
      [
        'x * cost["oak", 3]',
        'objective',
        undefined,
        'cost is a column of products: write one member in [ ], as in `cost[p]`',
        'cost["oak", 3]',
      ],
      [
        'x + open[c]',
        'objective',
        undefined,
        'It is unclear which members c refers to: add `for c in ...` or `sum c in ...` with a set, or write "c" in quotes for the member of that name',
        'c]',
      ],
      [
        'if x > 1 then 2 else 3',
        'objective',
        undefined,
        'A condition cannot contain the variable x: compare known values, or write a constraint',
      ],
      [
        '(if t > 1 then x else y) * (if t > 1 then 2 else x) <= 3',
        'constraint',
        't in weeks',
        'It is not linear: the variables x and x are multiplied, and neither is a yes-or-no variable',
      ],
      [
        'position(t)',
        'objective',
        undefined,
        'It is unclear which members t refers to: add `for t in ...` or `sum t in ...` with a set, or write "t" in quotes for the member of that name',
        'position(t)',
      ],
      [
        'make[p, last(lanes)] <= 3',
        'constraint',
        'p in products',
        'lanes has members with several parts, so it has no first or last member',
        'last(lanes)] <= 3',
      ],
      [
        'make[p, t - x] <= 3',
        'constraint',
        'p in products, t in weeks',
        'A lag must be known, but it contains the variable x',
        't - x] <= 3',
      ],
      [
        'cost[open[p]] <= x',
        'constraint',
        'p in products',
        'open is not a column with names of members',
        'open[p]] <= x',
      ],
      [
        'x <= 3',
        'constraint',
        'p in products where p in lanes',
        'lanes has members with 2 parts: write `(p, q) in lanes`',
        '',
      ],
      [
        'x + sum p in chairs: make[p, 1]',
        'objective',
        undefined,
        'No set is called chairs: define it, as in `chairs: a, b, c`',
        'p in chairs: make[p, 1]',
      ],
      [
        'max p in products: cost[p] + cost[p]',
        'objective',
        undefined,
        'The maximum over p ends before this: put everything that it compares in parentheses, as in `max p in ...: (... + ...)`',
        'p]',
      ],
      [
        'sum (p, t) in products: make[p, t]',
        'objective',
        undefined,
        'products has members with one part: write `p in products`',
        '(p, t) in products: make[p, t]',
      ],
      [
        'sum l in lanes: x',
        'objective',
        undefined,
        'lanes has members with 2 parts: write `(p, q) in lanes`',
        'l in lanes: x',
      ],
      [
        'sum p in products where region[p] > 3: x',
        'objective',
        undefined,
        'A text cannot be compared with a number: write texts in double quotes and numbers without quotes',
        '> 3: x',
      ],
      [
        'sum p in products where "north" = cost[p] + 1: x',
        'objective',
        undefined,
        'A text cannot be compared with a number: write texts in double quotes and numbers without quotes',
        '= cost[p] + 1: x',
      ],
      [
        'sum p in products where region[p] = north: x',
        'objective',
        undefined,
        'Nothing is called north: for a text, write "north" in quotes',
        '= north: x',
      ],
      [
        'sum c in cities where open[c] > 0: x',
        'objective',
        undefined,
        'A condition cannot contain the variable open: compare known values, or write a constraint',
        'open[c] > 0: x',
      ],
      [
        'sum c in cities where 2 x > 0: x',
        'objective',
        undefined,
        'A condition cannot contain the variable x: compare known values, or write a constraint',
      ],
    ]),
  )('reports the problem in %j', ([text, use, index, problem, place]) => {
    expect(problemOf(text, use, index)).toEqual([problem, place]);
  });
});

describe('checkIndex', () => {
  it.each([
    ['p in products, t in weeks where cost[p] > 0', undefined],
    ['t in products where q > 3', undefined],
    ['p in make', 'make is a variable, not a set: write the name of a set, as in `p in products`'],
    ['p in products where cost[q] > 0', expect.stringMatching(/^It is unclear which members q refers to/)],
  ])('returns the problem in the index %s, if any', (text, problem) =>
    expect(checkIndex(over(text), canvas)?.problem).toEqual(problem),
  );
});
