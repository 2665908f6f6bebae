import { describe, expect, it } from '@jest/globals';
import { cpuMs } from '../../test/support/cpu-time.js';
import { coverageOf } from './coverage.js';
import { type Index, isProblem } from './formula.js';
import { parseFormula, parseIndex } from './parse-formula.js';
import type { Vocabulary } from './vocabulary.js';

function read<Read extends object>(made: Read): Exclude<Read, { problem: string }> {
  if (isProblem(made)) throw new Error(made.problem);
  return made as Exclude<Read, { problem: string }>;
}
const over = (text: string): Index => read(parseIndex(text));
const PLANTS = new Set(['seattle', 'san diego']);
const ORIGINS = new Set(['seattle', 'San Diego']);
const TOWNS = new Set(['new-york', 'chicago']);
const GOODS = new Set(['oak', 'elm']);
const NODES = new Set(['s', 'a', 't']);

const canvas: Vocabulary = {
  sets: new Map([
    ['plants', { arity: 1, parts: [PLANTS] }],
    ['towns', { arity: 1, parts: [TOWNS] }],
    ['lanes', { arity: 2, parts: [ORIGINS, TOWNS] }],
    ['nodes', { arity: 1, parts: [NODES] }],
    ['arcs', { arity: 2, parts: [new Set(['s', 'a']), new Set(['a', 't'])] }],
    ['stock', { arity: 1, parts: [new Set(['Seattle', 'san diego'])] }],
    ['dem', { arity: 2, parts: [new Set(['oak', 'elm', 'elmm', 'ash']), new Set(['1', '2', '3', '13'])] }],
    ['usage', { arity: 2, parts: [GOODS, new Set(['seattle', 'Seattle', 'san diego', 'reno'])] }],
    ['spare', { arity: 1, parts: [new Set(['seattle'])] }],
    ['loose_weeks', { arity: 1, parts: [new Set(['2', '3', '1'])] }],
    ['weeks', { arity: 1, parts: [new Set(['1', '2', '3'])] }],
    ['orders', { arity: 1, parts: [new Set(['o1', 'o2'])] }],
    ['unread', { arity: 1 }],
    ['goods', { arity: 1, parts: [GOODS] }],
    ['needs', { arity: 2, parts: [GOODS, new Set(['1', '2', '3'])], size: 5 }],
    ['spares', { arity: 2, parts: [GOODS, new Set(['1', '2', '3'])], size: 5 }],
  ]),
  columns: new Map([
    ['capacity', [{ set: 'plants', type: 'number', range: [350, 600] as const }]],
    ['region', [{ set: 'plants', type: 'text', values: new Set(['north', 'south']) }]],
    ['zone', [{ set: 'towns', type: 'text', values: new Set(['North', 'west']) }]],
    ['due', [{ set: 'orders', type: 'text', values: new Set(['2025-02-02', '2025-03-01']) }]],
    ['demand', [{ set: 'towns', type: 'number', range: [0, 90] as const }]],
    ['left', [{ set: 'stock', type: 'number', fallback: 0 }]],
    ['extra', [{ set: 'spare', type: 'number', fallback: 0, range: [1, 2] as const }]],
    ['cost', [{ set: 'lanes', type: 'number' }]],
    ['width', [{ set: 'goods', type: 'number', empty: ['elm'] }]],
    ['need', [{ set: 'needs', type: 'number' }]],
    ['rest', [{ set: 'needs', type: 'number', empty: ['elm', '2'] }]],
    ['spare_parts', [{ set: 'spares', type: 'number', fallback: 0, empty: ['elm', '2'] }]],
    ['qty', [{ set: 'dem', type: 'number', fallback: 0 }]],
    ['used', [{ set: 'usage', type: 'number', fallback: 0 }]],
    ['item', [{ set: 'orders', type: 'text', values: new Set(['oak', 'elm', 'Oak', 'ash']) }]],
    ['size', [{ set: 'unread', type: 'number' }]],
  ]),
  families: new Map([
    ['ship', { index: over('(o, d) in lanes') }],
    ['make', { index: over('p in plants') }],
    ['level', { index: over('t in loose_weeks') }],
  ]),
  variables: new Set(['x']),
  values: new Map([['most', 700]]),
};
const reportOn = (text: string, index?: string) =>
  coverageOf(read(parseFormula(text)), index === undefined ? undefined : over(index), canvas);
const warnings = (text: string, index?: string) => reportOn(text, index)?.warnings;

describe('coverageOf', () => {
  it('warns about an `or` alternative that no member meets', () => {
    expect(warnings('x >= 1', 't in weeks where t = 1 or t = 9')).toEqual([
      'No member of weeks is 9, so nothing meets this part of the condition: the values range from 1 to 3',
    ]);
  });

  it('warns about a lag over members that are not in ascending order', () => {
    const warning =
      't - 1 follows the order of loose_weeks, in which "1" comes after "3": sort the rows of the file, or write the members in ascending order, as in `loose_weeks: 1 to 4`';
    expect(warnings('x >= level[t - 1]', 't in loose_weeks')).toEqual([warning]);
    expect(warnings('x >= sum t in loose_weeks: level[t - 1]')).toEqual([warning]);
    expect(warnings('x >= level[t]', 't in loose_weeks')).toEqual([]);
    expect(warnings('x >= level[t - 1]', 't in weeks')).toEqual([]);
  });

  it.each<[string, string, string | undefined, string[]]>([
    [
      'rows that match no member, and members without a row',
      'sum (i, j) in lanes: ship[i, j] <= capacity[i]',
      'i in plants',
      [
        '"San Diego" (near "san diego") of lanes matches no member of plants, so it is left out',
        '"san diego" (near "San Diego") of plants matches nothing in lanes, so its sum is empty',
      ],
    ],
    [
      'rows that match no member in an index',
      'ship[i, j] <= 3',
      'i in plants, (i, j) in lanes',
      [
        '"San Diego" (near "san diego") of lanes matches no member of plants, so it is left out',
        '"san diego" (near "San Diego") of plants matches nothing in lanes, so it is left out',
      ],
    ],
    [
      'members without a row in a column',
      'make[p] <= capacity[o]',
      'p in plants, (o, d) in lanes',
      ['"San Diego" (near "san diego") of lanes has no capacity in plants'],
    ],
    [
      'rows that are not used because a default applies',
      'make[p] <= left[p]',
      'p in plants',
      ['"Seattle" (near "seattle") of stock matches no member of plants, so its left is not used'],
    ],
    [
      'a misspelled row among rows that match',
      'x >= qty[g, t]',
      'g in goods, t in weeks',
      ['"elmm" (near "elm") of dem matches no member of goods, so its qty is not used'],
    ],
    [
      'a row in a different case among rows that match',
      'sum g in goods: used[g, p] * x <= 3',
      'p in plants',
      ['"Seattle" (near "seattle") of usage matches no member of plants, so its used is not used'],
    ],
    [
      'a misspelled label among labels that match',
      'sum o in orders where item[o] = g: 1 <= x',
      'g in goods',
      ['item "Oak" (near "oak") matches no member of goods'],
    ],
    [
      'a misspelled label on the right of an equality',
      'sum o in orders where g = item[o]: 1 <= x',
      'g in goods',
      ['item "Oak" (near "oak") matches no member of goods'],
    ],
    [
      'an unknown member',
      'make["san diegoo"] >= 5',
      undefined,
      ['plants has no member "san diegoo": its members are "san diego", "seattle"'],
    ],
    [
      'a label that no cell contains',
      'make[p] <= 3',
      'p in plants where region[p] = "nrth"',
      ['No region is "nrth", so nothing meets this condition: the values are "north", "south"'],
    ],
    [
      'a label in a different case',
      'sum p in plants where region[p] = "North": make[p] <= 3',
      undefined,
      ['No region is "North", so nothing meets this condition: the values are "north", "south"'],
    ],
    [
      'an exception that matches nothing',
      'make[p] <= 3',
      'p in plants where region[p] <> "sout" and capacity[p] > 0',
      ['No region is "sout", so everything meets this condition: the values are "south", "north"'],
    ],
    [
      'an unknown member of a set in a condition',
      'x <= 3',
      'p in plants where "seatle" in plants',
      [
        'plants has no member "seatle": its members are "seattle", "san diego"',
        'Nothing in plants meets this condition, so it has no members',
      ],
    ],
    [
      'a misspelled label of a set in a condition',
      'x <= 3',
      'o in orders where item[o] in goods',
      ['item "Oak" (near "oak") matches no member of goods'],
    ],
    [
      'a misspelled member of a set in a condition',
      'x <= 3',
      '(o, d) in lanes where o in plants',
      [
        'member of lanes "San Diego" (near "san diego") matches no member of plants',
        'member of plants "san diego" (near "San Diego") matches no member of lanes',
      ],
    ],
    [
      'an unknown member in a condition',
      'make[p] <= 3',
      'p in plants where not (p = "seatle" or p = "seattle")',
      [
        'No member of plants is "seatle", so nothing meets this part of the condition: the values are "seattle", "san diego"',
      ],
    ],
    [
      'a date that no row has',
      'x <= sum o in orders where due[o] = "02.02.2026": 1',
      undefined,
      ['No due is "02.02.2026", so nothing meets this condition: the values are "2025-02-02", "2025-03-01"'],
    ],
    [
      'a number above all values',
      'make[p] <= 3',
      'p in plants where capacity[p] > most',
      ['No capacity is > 700, so nothing meets this condition: the values range from 350 to 600'],
    ],
    [
      'a number below all values, on the left of the comparison',
      'make[p] <= 3',
      'p in plants where 100 >= capacity[p]',
      ['No capacity is <= 100, so nothing meets this condition: the values range from 350 to 600'],
    ],
    [
      'members that are numbers',
      'x <= sum t in weeks where t > 3: 1',
      undefined,
      ['No member of weeks is > 3, so nothing meets this condition: the values range from 1 to 3'],
    ],
    [
      'labels that differ between two sets',
      'x >= sum p in plants, d in towns where region[p] = zone[d]: 1',
      undefined,
      ['region "north" (near "North"), "south" match no zone'],
    ],
  ])('warns about %s', (_, text, index, expected) => {
    expect(warnings(text, index)).toEqual(expected);
  });

  it.each([
    ['region[p] = "north" and region[p] = "south"', 'region[p] = "north" and region[p] = "south"'],
    ['capacity[p] > 500 and capacity[p] < 400', 'capacity[p] > 500 and capacity[p] < 400'],
    ['400 < capacity[p] and capacity[p] <= 400', '400 < capacity[p] and capacity[p] <= 400'],
    ['capacity[p] >= most - 200 and capacity[p] < 450 + 50', 'capacity[p] >= (...) and capacity[p] < (...)'],
    ['not (capacity[p] > 400 or capacity[p] <= 400)', 'capacity[p] <= 400 and capacity[p] > 400'],
    [
      '(p = "seattle" or p = "san diego") and p = "seattle" and p <> "seattle"',
      'p = "seattle" and p = "seattle" and p <> "seattle"',
    ],
    [
      'capacity[p] >= 400 and capacity[p] <= 400 and capacity[p] <> 400',
      'capacity[p] >= 400 and capacity[p] <= 400 and capacity[p] <> 400',
    ],
    ['capacity[p] > left[p] and left[p] > capacity[p]', 'capacity[p] > left[p] and left[p] > capacity[p]'],
    ['p > "KW 10" and p <= "KW 9"', 'p > "KW 10" and p <= "KW 9"'],
  ])('warns about mutually exclusive comparisons: %s', (where, excluding) => {
    const expected = `${excluding} can never hold, so nothing meets this condition`;
    expect(warnings('make[p] <= 3', `p in plants where ${where}`)).toContain(expected);
    expect(warnings(`sum p in plants where ${where}: make[p] <= 3`)).toContain(expected);
  });

  it('warns about mutually exclusive dates', () => {
    const expected = 'due[o] > "01.03.2025" and due[o] < "2025-02-15" can never hold, so nothing meets this condition';
    expect(warnings(`x <= sum o in orders where due[o] > "01.03.2025" and due[o] < "2025-02-15": 1`)).toContain(
      expected,
    );
  });

  it.each([
    'region[p] = "north" or region[p] = "south"',
    'capacity[p] >= 400 and capacity[p] <= 400',
    'capacity[p] > 400 and (capacity[p] < 400 or capacity[p] = 500)',
    'region[p] <> "north" and region[p] <> "south"',
    'p = "seattle" and region[p] = "north"',
    'capacity[p] > left[p] and left[p] < capacity[p]',
    'p >= "KW 9" and p < "KW 10"',
  ])('accepts comparisons that are not mutually exclusive: %s', (where) => {
    expect(warnings('make[p] <= 3', `p in plants where ${where}`)!.filter((one) => one.includes('never'))).toEqual([]);
  });

  it('skips conditions with too many alternatives', () => {
    const where = Array.from({ length: 30 }, (_, at) => `(capacity[p] > ${at} or capacity[p] < ${at})`).join(' and ');
    const run = () => warnings('make[p] <= 3', `p in plants where ${where}`);
    expect(cpuMs(run)).toBeLessThan(200);
  });

  it.each<[string, string, string | undefined]>([
    ['members that match', 'sum (i, d) in lanes: ship[i, d] >= demand[d]', 'd in towns'],
    ['nodes without incoming arcs', 'sum (i, j) in arcs: cost["seattle", "chicago"] <= x', 'j in nodes'],
    ['nodes without outgoing arcs', 'sum (i, j) in arcs: 1 <= x', 'i in nodes'],
    ['members without a row if there is a default', 'make[p] <= extra[p]', 'p in plants'],
    ['members that a condition leaves out', 'x <= capacity[o]', '(o, d) in lanes where o <> "San Diego"'],
    ['a date in a different notation', 'x <= sum o in orders where due[o] = "02.02.2025": 1', undefined],
    ['a date in a choice', 'x <= (if due[o] = "02.02.2025" then 1 else 0)', 'o in orders'],
    ['a comparison of dates by order', 'x <= sum o in orders where due[o] >= "2025-02-15": 1', undefined],
    ['a condition that a default can meet', 'x <= sum s in spare where extra[s] < 1: 1', undefined],
    ['sets that have not been read', 'x <= size[p]', 'p in plants'],
    ['values in range', 'make[p] <= 3', 'p in plants where capacity[p] >= 600'],
  ])('does not warn about %s', (_, text, index) => {
    expect(warnings(text, index)).toEqual([]);
  });

  it('lists at most three keys and counts the rest', () => {
    const many = Array.from({ length: 100_000 }, (_, at) => `p${at}`);
    const sets = new Map([
      ['few', { arity: 1, parts: [new Set(many.slice(5))] }],
      ['many', { arity: 1, parts: [new Set(many)] }],
    ]);
    const formula = read(parseFormula('sum p in many: 1 <= x'));
    const run = () => coverageOf(formula, over('p in few'), { ...canvas, sets })?.warnings;
    expect(cpuMs(run)).toBeLessThan(1_000);
    expect(run()).toEqual(['"p0", "p1", "p2" and 2 more of many match no member of few, so they are left out']);
    expect(cpuMs(run)).toBeLessThan(50);
  });

  it('returns undefined if its comparison budget is exhausted', () => {
    const sets = new Map([
      ['few', { arity: 1, parts: [new Set(['a', 'b'])] }],
      ['many', { arity: 1, parts: [new Set(['a', 'b', 'c', 'd'])] }],
    ]);
    const formula = read(parseFormula('sum p in many: 1 <= x'));
    expect(coverageOf(formula, over('p in few'), { ...canvas, sets, budget: { remaining: 3 } })).toBeUndefined();
  });

  it.each<[string, string | undefined, string]>([
    ['x <= width[g]', 'g in goods', 'width has no value for "elm"'],
    ['sum g in goods: width[g] * x <= 3', undefined, 'width has no value for "elm"'],
    ['x <= rest[g, t]', '(g, t) in needs', 'rest has no value for "elm", "2"'],
    ['x <= rest[g, t]', 'g in goods, t in weeks', 'rest has no value for "elm", "2"'],
    ['x <= need[g, t]', 'g in goods, t in weeks', 'need is needed for 6 members, but needs has only 5'],
    ['sum t in weeks: need[g, t] <= x', 'g in goods', 'need is needed for 6 members, but needs has only 5'],
  ])('reports missing values that a formula needs: %s for %s', (text, index, problem) => {
    expect(reportOn(text, index)).toMatchObject({ problem: expect.stringContaining(problem), lacksData: true });
  });

  it('reports missing values of members without a row in a column', () => {
    expect(reportOn('make[p] <= capacity[o]', 'p in plants, (o, d) in lanes')?.lacksData).toBe(true);
  });

  it.each<[string, string | undefined]>([
    ['x <= width[g]', 'g in goods where g <> "elm"'],
    ['x <= width["oak"]', undefined],
    ['x <= spare_parts[g, t]', 'g in goods, t in weeks'],
    ['x <= need[g, t]', '(g, t) in needs'],
    ['sum (g, t) in needs: rest[g, t] <= x', 'g in goods'],
    ['x <= need[g, t - 1]', 'g in goods, t in weeks'],
  ])('does not report missing values that a formula may not need: %s for %s', (text, index) => {
    expect(reportOn(text, index)).toMatchObject({ problem: undefined, lacksData: false });
  });
});
