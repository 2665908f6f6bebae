import { beforeAll, describe, expect, it } from '@jest/globals';
import { card, problemOf } from '../../test/support/model-cards.js';
import { solveModel } from '../../test/support/solve-model.js';
import { type Highs, loadSolver } from '../solver/highs.js';
import type { FileFacts, FileState } from './data-file.js';
import { fileKey, NO_FILES } from './data-file.js';
import { readData } from './data-content.js';
import { derive, judge, judgeForSolve } from './derivation.js';
import { MAX_COMPUTED } from './kinds/data.js';
import { modelDigest } from './model-digest.js';
import { readCanvas } from './model/canvas-reader.js';
import type { ModelCard } from './model/model-card.js';
import { applyChanges } from './scenarios/apply-changes.js';
import type { Change } from './scenarios/change.js';

const computed = (formulas: unknown, index?: unknown, label = 'Computed') =>
  card('data', label, { computed: formulas, ...(index !== undefined && { index }), description: 'Computed' });
const goods = card('data', 'Goods', {
  set: 'goods',
  members: ['oak', 'elm', 'ash'],
  values: {
    price: { oak: 9, elm: 7, ash: 5 },
    cost: { oak: 4, elm: 3, ash: 6 },
    kind: { oak: 'hard', elm: 'hard', ash: 'soft' },
  },
  description: 'Goods',
});
const weeks = card('data', 'Weeks', { set: 'weeks', members: '1 to 3', description: 'Weeks' });
const batch = (value = 4) => card('data', 'Batch', { values: { batch: value }, description: 'Batch' });
const make = card('variable', 'make', {
  name: 'make',
  index: 'g in goods',
  domain: 'continuous',
  upper: 10,
  unit: 't',
});
const x = card('variable', 'x', { name: 'x', domain: 'continuous', upper: 100, unit: 't' });
const goal = (expression: string) =>
  card('objective', 'Goal', { sense: 'maximize', expression, confirmed: true, description: 'Profit' });
const hard = (expression: string, index?: string) =>
  card('constraint', 'Limit', { expression, classification: 'hard', description: 'Limit', ...(index && { index }) });

const messagesOf = (all: readonly ModelCard[], label = 'Computed', files = NO_FILES): string[] =>
  judge(all, files)
    [all.findIndex((one) => one.label === label)]!.gaps.filter(({ severity }) => severity !== 'info')
    .map(({ field, message, severity }) => `${field} (${severity}): ${message}`);

let highs: Highs;
beforeAll(async () => {
  ({ highs } = await loadSolver(1024));
});
const solve = (...cards: ModelCard[]) => solveModel(highs, readCanvas(cards), 10);
const valueOf = (...cards: ModelCard[]) => solve(...cards).objective_value;

describe('computed numbers', () => {
  it.each<[string, object, string | undefined, ModelCard[], number]>([
    [
      'a column',
      { margin: 'price[g] - cost[g]' },
      'g in goods',
      [make, goal('sum g in goods: margin[g] * make[g]')],
      90,
    ],
    ['a constant', { horizon: '3 * batch' }, undefined, [batch(), x, hard('x <= horizon'), goal('2 x')], 24],
    ['a constant that multiplies a variable', { rate: 'batch / 8' }, undefined, [batch(), x, goal('rate * x')], 50],
    ['a total', { most: 'max g in goods: price[g]' }, undefined, [x, hard('x <= most'), goal('x')], 9],
    [
      'columns that depend on each other, in any order',
      { share: 'margin[g] / total', margin: 'price[g] - cost[g]' },
      'g in goods',
      [
        computed({ total: 'sum g in goods: margin[g]' }, undefined, 'Total'),
        make,
        goal('sum g in goods: share[g] * make[g]'),
      ],
      11.25,
    ],
    [
      'a column of some members',
      { bonus: 'price[g] / 2' },
      'g in goods where kind[g] = "soft"',
      [make, goal('sum g in goods where kind[g] = "soft": bonus[g] * make[g]')],
      25,
    ],
    [
      'a default for the other members',
      { bonus: 'price[g] / 2' },
      'g in goods where kind[g] = "soft"',
      [make, goal('sum g in goods: (bonus[g] else 1) * make[g]')],
      45,
    ],
    [
      'a column of two sets',
      { need: 'price[g] * t' },
      'g in goods, t in weeks',
      [
        weeks,
        card('variable', 'ship', { name: 'ship', index: 'g in goods, t in weeks', domain: 'continuous', upper: 1 }),
        goal('sum g in goods, t in weeks: need[g, t] * ship[g, t]'),
      ],
      126,
    ],
    [
      'a lag beyond the ends of a column of two sets',
      { need: 'price[g] * t' },
      'g in goods, t in weeks',
      [
        weeks,
        card('variable', 'ship', { name: 'ship', index: 'g in goods, t in weeks', domain: 'continuous', upper: 1 }),
        goal('sum g in goods, t in weeks: need[g, t - 1] * ship[g, t]'),
      ],
      63,
    ],
    [
      'a bound',
      { limit: '2 * cost[g]' },
      'g in goods',
      [
        card('variable', 'make', { name: 'make', index: 'g in goods', upper: 'limit[g]' }),
        goal('sum g in goods: make[g]'),
      ],
      26,
    ],
    [
      'a condition',
      { margin: 'price[g] - cost[g]' },
      'g in goods',
      [make, goal('sum g in goods where margin[g] > 0: make[g]')],
      20,
    ],
    [
      'the index of a family',
      { margin: 'price[g] - cost[g]' },
      'g in goods',
      [
        card('variable', 'make', { name: 'make', index: 'g in goods where margin[g] > 0', upper: 10 }),
        goal('sum g in goods where margin[g] > 0: make[g]'),
      ],
      20,
    ],
    [
      'a choice',
      { fee: 'if kind[g] = "hard" then 1 else 2' },
      'g in goods',
      [make, goal('sum g in goods: fee[g] * make[g]')],
      40,
    ],
  ])('can be %s', (_, formulas, index, others, objective) => {
    const cards = [goods, computed(formulas, index), ...others];
    expect(judgeForSolve(cards).flatMap(({ gaps }) => gaps.filter(({ severity }) => severity === 'blocking'))).toEqual(
      [],
    );
    expect(judgeForSolve(cards).flatMap(({ unknown }) => unknown)).toEqual([]);
    expect(valueOf(...cards)).toBeCloseTo(objective, 9);
  });

  it.each<[string, object, string | undefined, number]>([
    ['also outside a sum', { h: 'g + sum g in goods: price[g]', g: '3 + 4' }, undefined, 28],
    ['of the sum that defines it', { h: '2 * g', g: 'sum g in goods: price[g]' }, undefined, 42],
    ['in a condition', { h: 'if (sum h in goods: price[h]) > 5 then 1 else 2' }, undefined, 1],
  ])('can have the name of an index %s', (_, formulas, index, optimum) => {
    const cards = [goods, computed(formulas, index), x, hard('x <= h'), goal('x')];
    expect(messagesOf(cards)).toEqual([]);
    expect(valueOf(...cards)).toBeCloseTo(optimum, 9);
  });

  it('are checked quickly, even if each number depends on all of the previous numbers', () => {
    const names = Array.from({ length: 200 }, (_, at) => `n${at}`);
    const cards = Array.from({ length: 4 }, (_, part) =>
      computed(
        Object.fromEntries(
          names
            .slice(50 * part, 50 * part + 50)
            .map((name, at) => [name, ['1', ...names.slice(0, 50 * part + at)].join(' + ')]),
        ),
        undefined,
        `Card ${part}`,
      ),
    );
    const begin = performance.now();
    for (let change = 0; change < 5; change += 1) judge([...cards, batch(change)]);
    expect(performance.now() - begin).toBeLessThan(5_000);
  });

  it('have a maximum number of members', () => {
    const hours = card('data', 'Hours', { set: 'hours', members: '1 to 1500' });
    const all = computed({ one: 'h + i' }, 'h in hours, i in hours');
    expect(problemOf(hours, all, x, goal('x'))).toBe(
      'The data card "Computed": one has 2250000 members, but there is only room for 2000000 more computed numbers',
    );
  });

  it('make the data available without a file', () => {
    expect(derive([batch(), computed({ horizon: '3 * batch' })])).toMatchObject({ data_available: true });
  });

  it('are part of the model', () => {
    const digest = (formula: string, index?: string) => modelDigest([goods, computed({ margin: formula }, index)]);
    expect(digest('price[g]', 'g in goods')).not.toBe(digest('cost[g]', 'g in goods'));
    expect(digest('1', 'g in goods')).not.toBe(digest('1'));
  });

  it('are judged again if their inputs change', () => {
    const cards = (value: number) => [
      batch(value),
      computed({ rate: '1 / rest' }),
      computed({ rest: 'batch - 4' }, undefined, 'Rest'),
      x,
      goal('rate * x'),
    ];
    expect(messagesOf(cards(5))).toEqual([]);
    expect(messagesOf(cards(4))).toEqual(['computed (blocking): rate: It divides by 0']);
    expect(messagesOf(cards(5))).toEqual([]);
  });
});

describe('the gaps of computed numbers', () => {
  const SHAPE =
    'computed (blocking): computed must be an object of at most 50 formulas by name, such as {"margin": "price[p] - cost[p]"}; names consist of letters, digits and _';

  it.each<[string, unknown, unknown, string[]]>([
    ['no object', 5, undefined, [SHAPE]],
    ['an empty object', {}, undefined, [SHAPE]],
    ['a list instead of a formula', { rate: [5] }, undefined, [SHAPE]],
    ['a number instead of a formula', { rate: 5 }, undefined, []],
    ['a name with a space', { 'my rate': '5' }, undefined, [SHAPE]],
    [
      'too many formulas',
      Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`n${at}`, '1'])),
      undefined,
      [SHAPE],
    ],
    [
      'a relation',
      { rate: '5 <= 6' },
      undefined,
      ['computed (blocking): rate: A computed number cannot contain <=, >= or ='],
    ],
    [
      'a formula that ends early',
      { rate: '5 *' },
      undefined,
      ['computed (blocking): rate: The formula ends too early'],
    ],
    [
      'a variable',
      { rate: '2 * x' },
      undefined,
      [
        'computed (blocking): rate: A computed number must be known before a solve, but it contains the variable x: write a constraint or a KPI instead',
      ],
    ],
    [
      'a family',
      { rate: 'make[g]' },
      'g in goods',
      [
        'computed (blocking): rate: A computed number must be known before a solve, but it contains the variable make: write a constraint or a KPI instead',
      ],
    ],
    [
      'an unknown name',
      { rate: '2 * prise' },
      undefined,
      ['computed (blocking): rate: No variable or value on the canvas is called prise. Did you mean price?'],
    ],
    [
      'an unknown set',
      { rate: '2' },
      'p in products',
      [
        'index (blocking): No set is called products: define it, as in `products: a, b, c` (at character 1: p in products)',
      ],
    ],
    [
      'an index that cannot be read',
      { rate: '2' },
      'g of goods',
      ['index (blocking): Write `in` and the name of a set, as in `p in products` (at character 3: of goods)'],
    ],
    [
      'the name of a column',
      { price: 'cost[g] + 1' },
      'g in goods',
      ['computed (blocking): price is already a column: give the computed number another name'],
    ],
    ['the name of a variable', { x: '2' }, undefined, ['computed (blocking): Something else is already called x']],
    ['the name of a set', { goods: '2' }, undefined, ['computed (blocking): Something else is already called goods']],
    ['itself', { rate: '2 * rate' }, undefined, ['computed (blocking): rate depends on itself']],
    [
      'a circle',
      { a: 'b + 1', b: '2 * c', c: 'a', d: 'a' },
      undefined,
      [
        'computed (blocking): a depends on itself',
        'computed (blocking): b depends on itself',
        'computed (blocking): c depends on itself',
      ],
    ],
    [
      'a missing index',
      { rate: 'price[g]' },
      undefined,
      [
        'computed (blocking): rate: It is unclear which members g refers to: add `for g in ...` or `sum g in ...` with a set, or write "g" in quotes for the member of that name (at character 7: g])',
      ],
    ],
  ])('report %s', (_, formulas, index, expected) => {
    const cards = [goods, x, make, computed(formulas, index), goal('x')];
    expect(messagesOf(cards)).toEqual(expected);
    if (expected.length === 0) expect(problemOf(...cards)).toBe('');
    else expect(problemOf(...cards)).toContain('The data card "Computed"');
  });

  it('report two computed numbers with the same name', () => {
    const cards = [computed({ rate: '1' }), computed({ rate: '2' }, undefined, 'Other'), x, goal('x')];
    expect(messagesOf(cards)).toEqual(['computed (blocking): Something else is already called rate']);
    expect(problemOf(...cards)).toBe('The data card "Other": something else is already called rate');
  });

  it('report more computed numbers than a canvas can have', () => {
    const full = Array.from({ length: MAX_COMPUTED / 50 }, (_, at) =>
      computed(
        Object.fromEntries(Array.from({ length: 50 }, (__, n) => [`n${at}_${n}`, '1'])),
        undefined,
        `Card ${at}`,
      ),
    );
    expect(messagesOf([...full, computed({ last: '1' })])).toEqual([
      `computed (blocking): A canvas can have at most ${MAX_COMPUTED} computed numbers, and 100000 characters in their formulas`,
    ]);
    expect(messagesOf(full, 'Card 9')).toEqual([]);
  });

  it('report formulas that are too long in total', () => {
    const cards = Array.from({ length: 2 }, (_, at) =>
      computed(
        Object.fromEntries(Array.from({ length: 50 }, (__, n) => [`n${at}_${n}`, `1${' + 1'.repeat(300)}`])),
        undefined,
        `Card ${at}`,
      ),
    );
    expect(messagesOf(cards, 'Card 0')).toEqual([]);
    expect(messagesOf(cards, 'Card 1')[0]).toContain('100000 characters');
  });

  it('say how to write a member of a computed column', () => {
    const cards = (expression: string) => [
      goods,
      weeks,
      computed({ need: 'price[g] * t' }, 'g in goods, t in weeks'),
      computed({ rate: '2' }, undefined, 'Rate'),
      make,
      x,
      goal(expression),
    ];
    expect(messagesOf(cards('sum g in goods: need[g] * make[g]'), 'Goal')).toEqual([
      'expression (blocking): need is a column of `g in goods, t in weeks`: write 2 members in [ ], as in `need[p, q]` (at character 17: need[g] * make[g])',
    ]);
    expect(messagesOf(cards('rate["oak"] * x'), 'Goal')).toEqual([
      'expression (blocking): rate has no index: write it without [ ] (at character 1: rate["oak"] * x)',
    ]);
    expect(messagesOf(cards('need * x'), 'Goal')).toEqual([
      'expression (blocking): need is a column of `g in goods, t in weeks`: write `need[p, q]`',
    ]);
  });

  it('say which members of a partial column are missing', () => {
    const cards = [
      goods,
      computed({ bonus: 'price[g] / 2' }, 'g in goods where kind[g] = "soft"'),
      make,
      goal('sum g in goods: bonus[g] * make[g]'),
    ];
    expect(messagesOf(cards, 'Goal')).toEqual([
      'expression (blocking): bonus has no value for "oak" and 1 more, which are not members of `g in goods where kind[g] = "soft"`',
    ]);
    expect(problemOf(...cards)).toBe(
      'The objective card "Goal": bonus has no value for "oak", which is not a member of `g in goods where kind[g] = "soft"`',
    );
  });
});

describe('computed numbers from files', () => {
  const file = card('data', 'Stock', {
    set: 'stock',
    file_path: 'data/stock.csv',
    key: ['item'],
    description: 'Stock',
  });
  const facts: FileFacts = {
    rows: 2,
    columns: [
      { name: 'item', type: 'text', values: ['a', 'b'], cells: [0, 1] },
      { name: 'amount', type: 'number', range: [3, 4], cells: [3, 4] },
      { name: 'weight', type: 'number', cells: [2, null], empty: ['b'] },
    ],
  };
  const stateOf = (state: FileState) => new Map([[fileKey(readData(file).file!), state]]);

  it('are checked with the values in the file', () => {
    const cards = (formula: string) => [file, computed({ rate: formula }, 's in stock'), x, goal('rate["a"] * x')];
    expect(messagesOf(cards('12 / amount[s]'), 'Computed', stateOf(facts))).toEqual([]);
    expect(messagesOf(cards('12 / (amount[s] - 4)'), 'Computed', stateOf(facts))).toEqual([
      'computed (blocking): rate: It divides by 0 for "b": exclude them with a condition after `where`',
    ]);
    expect(messagesOf(cards('weight[s]'), 'Computed', stateOf(facts))).toEqual([
      'computed (blocking): rate: weight has no value for "b": fill it in, or give the data card of stock a `default`',
    ]);
    expect(derive(cards('weight[s]'), stateOf(facts))).toMatchObject({ data_available: false });
  });

  it('are not checked before the file has been read', () => {
    const cards = [
      file,
      computed({ rate: '12 / amount[s]', half: 'rate["a"] / 2' }, 's in stock'),
      x,
      goal('half["a"] * x'),
    ];
    expect(messagesOf(cards, 'Goal', stateOf('unread'))).toEqual([]);
  });
});

describe('computed numbers in scenarios', () => {
  const cards = [
    goods,
    batch(),
    computed({ margin: 'price[g] - cost[g]' }, 'g in goods'),
    computed({ horizon: '3 * batch' }, undefined, 'Horizon'),
    make,
    hard('sum g in goods: make[g] <= horizon'),
    goal('sum g in goods: margin[g] * make[g]'),
  ];
  const apply = (...changes: Change[]) => applyChanges(cards, changes, { files: NO_FILES, name: 'Test' });

  it.each<[string, Change[], number]>([
    ['a constant', [{ kind: 'value', target: 'batch', times: 2 }], 90],
    ['a column', [{ kind: 'column', target: 'price', plus: 1 }], 70],
    ['a cell', [{ kind: 'cell', target: 'cost', key: ['oak'], to: 0 }], 98],
    [
      'a column where a computed number meets a condition',
      [{ kind: 'column', target: 'price', plus: 10, where: 'margin < 0' }],
      100,
    ],
    [
      'a column where a computed constant meets a condition',
      [{ kind: 'column', target: 'price', plus: 1, where: 'price < horizon' }],
      70,
    ],
  ])('follow a change of %s', (_, changes, objective) => {
    const { cards: changed, problems } = apply(...changes);
    expect(problems).toEqual([]);
    expect(valueOf(...changed)).toBeCloseTo(objective, 9);
  });

  it('use the values after the preceding changes in a condition', () => {
    const partial = [
      goods,
      batch(),
      computed({ bonus: 'price[g]' }, 'g in goods where price[g] > 6'),
      computed({ horizon: '2 * batch' }, undefined, 'Horizon'),
      make,
      goal('sum g in goods: (bonus[g] else 0) * make[g]'),
    ];
    const best = (...changes: Change[]) => {
      const { cards: changed, problems } = applyChanges(partial, changes, { files: NO_FILES, name: 'Test' });
      expect(problems).toEqual([]);
      return valueOf(...changed);
    };
    const wider: Change[] = [
      { kind: 'cell', target: 'price', key: ['oak'], to: 8 },
      { kind: 'cell', target: 'price', key: ['ash'], to: 100 },
    ];
    expect(best(...wider)).toBeCloseTo(1150, 9);
    expect(best(...wider, { kind: 'column', target: 'cost', to: 3, where: 'bonus["elm"] >= 0' })).toBeCloseTo(1150, 9);
    const raise: Change = { kind: 'column', target: 'price', plus: 10, where: 'price < horizon' };
    expect(best(raise, { kind: 'value', target: 'batch', times: 10 })).toBeCloseTo(410, 9);
    expect(best({ kind: 'value', target: 'batch', times: 10 }, raise)).toBeCloseTo(510, 9);
  });

  it.each<[Change, string]>([
    [
      { kind: 'column', target: 'margin', times: 2 },
      'margin is computed, so change the numbers in its formula: price, cost',
    ],
    [
      { kind: 'value', target: 'margin', times: 2 },
      'margin is computed, so change the numbers in its formula: price, cost',
    ],
    [
      { kind: 'cell', target: 'margin', key: ['oak'], to: 2 },
      'margin is computed, so change the numbers in its formula: price, cost',
    ],
    [{ kind: 'value', target: 'horizon', to: 2 }, 'horizon is computed, so change the numbers in its formula: batch'],
  ])('cannot be changed themselves (%j)', (change, problem) => {
    expect(apply(change).problems).toEqual([{ index: 0, field: 'target', problem }]);
  });
});
