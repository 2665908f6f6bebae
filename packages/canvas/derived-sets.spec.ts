import { beforeAll, describe, expect, it } from '@jest/globals';
import { card, problemOf } from '../../test/support/model-cards.js';
import { solveModel } from '../../test/support/solve-model.js';
import { type Highs, loadSolver } from '../solver/highs.js';
import type { FileFacts } from './data-file.js';
import { fileKey, NO_FILES } from './data-file.js';
import { readData } from './data-content.js';
import { derive, judge, judgeForSolve } from './derivation.js';
import { modelDigest } from './model-digest.js';
import { readCanvas } from './model/canvas-reader.js';
import type { ModelCard } from './model/model-card.js';
import { applyChanges } from './scenarios/apply-changes.js';
import type { Change } from './scenarios/change.js';

const goods = card('data', 'Goods', {
  set: 'goods',
  members: ['oak', 'elm', 'ash'],
  values: {
    price: { oak: 9, elm: 7, ash: 5 },
    lead: { oak: 5, elm: 2, ash: 3 },
    kind: { oak: 'hard', elm: 'hard', ash: 'soft' },
  },
  description: 'Goods',
});
const weeks = card('data', 'Weeks', { set: 'weeks', members: '1 to 4', description: 'Weeks' });
const limits = (limit = 3) => card('data', 'Limits', { values: { limit }, description: 'Limits' });
const derived = (of: unknown, where?: unknown, set = 'fast', more: object = {}) =>
  card('data', set, { set, of, ...(where !== undefined && { where }), description: 'Derived', ...more });
const make = (index = 'p in fast') =>
  card('variable', 'make', { name: 'make', index, domain: 'continuous', upper: 10, unit: 't' });
const goal = (expression: string) =>
  card('objective', 'Goal', { sense: 'maximize', expression, confirmed: true, description: 'Profit' });
const profit = goal('sum p in fast: price[p] * make[p]');

const messagesOf = (all: readonly ModelCard[], label = 'fast', files = NO_FILES): string[] =>
  judge(all, files)
    [all.findIndex((one) => one.label === label)]!.gaps.filter(({ severity }) => severity !== 'info')
    .map(({ field, message, severity }) => `${field} (${severity}): ${message}`);
const blockingOf = (cards: readonly ModelCard[]) =>
  judgeForSolve(cards).flatMap(({ gaps }) => gaps.filter(({ severity }) => severity === 'blocking'));

let highs: Highs;
beforeAll(async () => {
  ({ highs } = await loadSolver(1024));
});
const solve = (...cards: readonly ModelCard[]) => solveModel(highs, readCanvas(cards), 10);
const membersOf = (...cards: readonly ModelCard[]): string[] => {
  const { families } = readCanvas(cards);
  const [first, second] = families.variables[0]!.members;
  return first!.map((member, at) => (second === undefined ? member : `${member} ${second[at]!}`));
};

describe('derived sets', () => {
  it.each<[string, ModelCard[], string[]]>([
    ['members that meet a condition', [derived('goods', 'lead[p] <= 3')], ['elm', 'ash']],
    ['members with a label', [derived('goods', 'kind[p] = "hard"')], ['oak', 'elm']],
    ['members with their own name', [derived('p in goods', 'p <> "oak"')], ['elm', 'ash']],
    ['members that are numbers', [weeks, derived('t in weeks', 't > 2')], ['3', '4']],
    ['members at a position', [derived('goods', 'position(g) < 3')], ['oak', 'elm']],
    ['members that meet a condition with a value', [limits(), derived('goods', 'lead[p] < limit')], ['elm']],
    ['members that meet a condition with a sum', [derived('goods', 'lead[p] < sum g in goods: lead[g] / 4')], ['elm']],
    ['members of a subset', [derived('quick', 'price[p] > 5'), derived('goods', 'lead[p] <= 3', 'quick')], ['elm']],
    [
      'the members of several sets, each of them once',
      [
        weeks,
        derived(['soft', 'quick', 'weeks']),
        derived('goods', 'kind[p] = "soft"', 'soft'),
        derived('goods', 'lead[p] <= 3', 'quick'),
      ],
      ['ash', 'elm', '1', '2', '3', '4'],
    ],
    [
      'members that are not in another set',
      [derived('goods', 'not (p in quick)'), derived('goods', 'lead[p] <= 3', 'quick')],
      ['oak'],
    ],
    [
      'members that are in another set, too',
      [derived('goods', 'p in quick'), derived('goods', 'lead[q] <= 3', 'quick')],
      ['elm', 'ash'],
    ],
    [
      'members that meet a condition with a computed number',
      [
        derived('goods', 'margin[p] > 3'),
        card('data', 'Margin', { computed: { margin: 'price[g] - lead[g]' }, index: 'g in goods' }),
      ],
      ['oak', 'elm'],
    ],
  ])('can have %s', (_, sets, members) => {
    const cards = [goods, ...sets, make(), goal('sum p in fast: make[p]')];
    expect(blockingOf(cards)).toEqual([]);
    expect(messagesOf(cards)).toEqual([]);
    expect(membersOf(...cards)).toEqual(members);
    expect(solve(...cards).objective_value).toBeCloseTo(10 * members.length, 9);
  });

  it('use the columns of the set that contains their members', () => {
    const cards = [goods, derived('goods', 'lead[p] <= 3'), make(), profit];
    expect(blockingOf(cards)).toEqual([]);
    expect(solve(...cards).objective_value).toBeCloseTo(120, 9);
    const whole = [...cards.slice(0, 2), make('g in goods'), goal('sum p in fast: price[p] * make[p]')];
    expect(blockingOf(whole)).toEqual([]);
    expect(solve(...whole).objective_value).toBeCloseTo(120, 9);
  });

  it('report members without a variable', () => {
    const cards = [goods, derived('goods', 'lead[p] <= 3'), make(), goal('sum p in goods: price[p] * make[p]')];
    expect(messagesOf(cards, 'Goal')).toEqual(['expression (blocking): make has no member "oak"']);
    expect(problemOf(...cards)).toBe('The objective card "Goal": make has no member "oak"');
  });

  it('can be the index of computed columns and of other sets', () => {
    const cards = [
      goods,
      derived('goods', 'lead[p] <= 3'),
      card('data', 'Rates', { computed: { rate: 'price[p] / lead[p]' }, index: 'p in fast' }),
      derived('fast', 'rate[p] > 2', 'best'),
      make('p in best'),
      goal('sum p in best: rate[p] * make[p]'),
    ];
    expect(blockingOf(cards)).toEqual([]);
    expect(membersOf(...cards)).toEqual(['elm']);
    expect(solve(...cards).objective_value).toBeCloseTo(35, 9);
  });

  it('have lags in their own order', () => {
    const cards = [
      goods,
      derived('goods', 'p <> "elm" and lead[p] > 0'),
      make(),
      card('constraint', 'Steps', {
        expression: 'make[p] <= make[p - 1] + 1',
        index: 'p in fast where p <> first(fast)',
        classification: 'hard',
      }),
      card('constraint', 'First', { expression: 'make[first(fast)] <= 2', classification: 'hard' }),
      profit,
    ];
    expect(blockingOf(cards)).toEqual([]);
    expect(solve(...cards).objective_value).toBeCloseTo(2 * 9 + 3 * 5, 9);
  });

  it('may be empty, which is a warning', () => {
    const cards = [goods, derived('goods', 'lead[p] > 9'), make('p in goods'), goal('sum p in goods: make[p]')];
    expect(messagesOf(cards)).toEqual([
      'where (warning): No lead is > 9, so nothing meets this condition: the values range from 2 to 5',
    ]);
    const crossed = [
      goods,
      derived('goods', 'lead[p] > price[p]'),
      make('p in goods'),
      goal('sum p in goods: make[p]'),
    ];
    expect(messagesOf(crossed)).toEqual([
      'where (warning): Nothing in goods meets this condition, so it has no members',
    ]);
    expect(solve(...crossed).objective_value).toBeCloseTo(30, 9);
    expect(solve(goods, derived('goods', 'lead[p] > 9'), make(), x, goal('x + sum p in fast: make[p]')).status).toBe(
      'optimal',
    );
  });

  it('are part of the model', () => {
    const digest = (of: string, where: string) => modelDigest([goods, derived(of, where)]);
    expect(digest('goods', 'lead[p] <= 3')).not.toBe(digest('goods', 'lead[p] <= 2'));
    expect(digest('goods', 'lead[p] <= 3')).not.toBe(digest('weeks', 'lead[p] <= 3'));
  });

  it('make the data available', () => {
    expect(derive([goods, derived('goods', 'lead[p] <= 3')])).toMatchObject({ data_available: true });
  });

  it('are judged again if their inputs change', () => {
    const cards = (limit: number) => [goods, limits(limit), derived('goods', 'lead[p] < limit'), make(), profit];
    expect(messagesOf(cards(3))).toEqual([]);
    expect(messagesOf(cards(1))).toHaveLength(1);
    expect(messagesOf(cards(3))).toEqual([]);
  });
});

const x = card('variable', 'x', { name: 'x', upper: 5, unit: 't' });

describe('derived sets of pairs', () => {
  const file = card('data', 'Lanes', {
    set: 'lanes',
    file_path: 'lanes.csv',
    key: ['from', 'to'],
    description: 'Lanes',
  });
  const facts: FileFacts = {
    rows: 3,
    columns: [
      { name: 'from', type: 'text', values: ['a', 'b'], cells: [0, 0, 1] },
      { name: 'to', type: 'text', values: ['u', 'v'], cells: [0, 1, 1] },
      { name: 'km', type: 'number', range: [50, 150], cells: [50, 150, 80] },
      { name: 'toll', type: 'number', cells: [1, null, 2], empty: ['a', 'v'] },
    ],
  };
  const files = new Map([[fileKey(readData(file).file!), facts]]);

  it.each<[string, unknown, string, string[]]>([
    ['keys that name the parts', 'lanes', 'km[o, d] <= 100', []],
    ['names of the parts', '(o, d) in lanes', 'o = "a"', []],
    ['keys of other columns before the key that names the parts', 'lanes', 'd in ends and km[o, d] <= 100', []],
    [
      'keys that do not name all parts',
      'lanes',
      'd in ends',
      ['of (blocking): lanes has members with 2 parts: write `(p, q) in lanes`'],
    ],
    [
      'keys in an unclear order',
      'lanes',
      'd in ends and o in ends',
      ['of (blocking): Name the parts of a member in `of`, as in `(o, d) in lanes`, so that their order is clear'],
    ],
    [
      'a cell that is missing',
      'lanes',
      'toll[o, d] > 1',
      ['where (blocking): toll has no value for "a", "v": fill it in, or give the data card of lanes a `default`'],
    ],
    [
      'too few parts in a key',
      '(o, d) in lanes',
      'o = "a" and km[o] <= 100',
      [
        'where (blocking): km is a column of lanes: write 2 members in [ ], as in `km[p, q]` (at character 13: km[o] <= 100)',
      ],
    ],
  ])('accept or report %s', (_, of, where, expected) => {
    const ends = card('data', 'Ends', { set: 'ends', members: ['u', 'v'], description: 'Ends' });
    expect(messagesOf([file, ends, derived(of, where, 'near')], 'near', files)).toEqual(expected);
  });

  it('report lanes that the subset does not contain', () => {
    const cards = [
      file,
      derived('lanes', 'km[o, d] <= 100', 'near'),
      card('variable', 'ship', { name: 'ship', index: '(o, d) in near', upper: 5 }),
      goal('sum (o, d) in lanes: km[o, d] * ship[o, d]'),
    ];
    expect(messagesOf(cards, 'Goal', files)).toEqual(['expression (blocking): ship has no member "a", "v"']);
    expect(messagesOf(cards, 'near', files)).toEqual([]);
  });
});

describe('the gaps of derived sets', () => {
  it.each<[string, object, string[]]>([
    [
      'a number instead of a set',
      { of: 5, where: 'p > 1' },
      [
        'of (blocking): of must be the name of a set, such as products, or with names for the parts of its members, such as (o, d) in lanes, or a list of at most 20 sets whose members it combines',
      ],
    ],
    [
      'no condition',
      { of: 'goods' },
      [
        'where (blocking): Which members belong to the set? Write a condition in `where`, such as `lead[p] <= 3`, or list several sets in `of`',
      ],
    ],
    [
      'a condition without keys',
      { of: 'goods', where: 'lead <= 3' },
      [
        'of (blocking): Name the members in `of`, as in `p in products`, and use this name in the condition, as in `lead[p] <= 3`',
      ],
    ],
    [
      'a column without a key',
      { of: 'p in goods', where: 'lead <= 3' },
      ['where (blocking): lead is a column of goods: write `lead[p]`'],
    ],
    [
      'an unknown set',
      { of: 'good', where: 'lead[p] <= 3' },
      ['of (blocking): No set is called good: did you mean goods? Otherwise define it, as in `good: a, b, c`'],
    ],
    [
      'an unknown name',
      { of: 'goods', where: 'led[p] <= 3' },
      ['where (blocking): No variable or value on the canvas is called led. Did you mean lead?'],
    ],
    [
      'a variable',
      { of: 'goods', where: 'amount[p] <= 3' },
      [
        'where (blocking): A condition cannot contain the variable amount: compare known values, or write a constraint (at character 1: amount[p] <= 3)',
      ],
    ],
    [
      'a condition that ends early',
      { of: 'goods', where: 'lead[p] <=' },
      ['where (blocking): The formula ends too early'],
    ],
    [
      'a text that is compared with a number',
      { of: 'goods', where: 'kind[p] > 3' },
      [
        'where (blocking): A text cannot be compared with a number: write texts in double quotes and numbers without quotes (at character 9: > 3)',
      ],
    ],
    [
      'several sets in a text',
      { of: 'p in goods, q in goods', where: 'p <> q' },
      ['of (blocking): A subset has the members of a single set: write the condition in `where`'],
    ],
    [
      'a combined set with a condition',
      { of: ['goods', 'other'], where: 'lead[p] <= 3' },
      [
        'where (blocking): A set cannot combine several sets and select members with `where`: define the combined set on another card, and name it in `of`',
      ],
    ],
    [
      'an unknown set in a list',
      { of: ['goods', 'othr'] },
      ['of (blocking): No set is called othr: did you mean other? Otherwise define it, as in `othr: a, b, c`'],
    ],
    [
      'sets with different numbers of parts',
      { of: ['goods', 'pairs'] },
      [
        'of (blocking): Sets can only be combined if their members have the same number of parts, but members of goods have one part, and members of pairs have 2 parts',
      ],
    ],
    [
      'members besides other sets',
      { of: 'goods', where: 'lead[p] <= 3', members: ['oak'] },
      ['members (blocking): The members come from the set in `of`: remove either `of` or `members`'],
    ],
    [
      'a file besides other sets',
      { of: 'goods', where: 'lead[p] <= 3', file_path: 'fast.csv' },
      ['file_path (blocking): The members come from the set in `of`: remove either `of` or `file_path`'],
    ],
    [
      'values by member',
      { of: 'goods', where: 'lead[p] <= 3', values: { bonus: { elm: 2, ash: 3 } } },
      ['values (blocking): Write the values of bonus on the card of the set that contains the members of fast'],
    ],
    [
      'computed numbers on the same card',
      { of: 'goods', where: 'lead[p] <= 3', computed: { rate: 'price[p]' }, index: 'p in goods' },
      ['computed (blocking): The members come from the set in `of`: remove either `of` or `computed`'],
    ],
    ['itself', { of: 'fast', where: 'lead[p] <= 3' }, ['of (blocking): fast depends on itself']],
    ['a circle', { of: 'goods', where: 'p in slow' }, ['of (blocking): fast depends on itself']],
    [
      'a condition of no other set',
      { members: ['oak'], where: 'lead[p] <= 3' },
      ['where (blocking): It selects members of another set: name this set in `of`'],
    ],
    [
      'the name of another set',
      { set: 'goods', of: 'other', where: 'p in other' },
      ['set (blocking): Something else is already called goods'],
    ],
  ])('report %s', (_, data, expected) => {
    const other = card('data', 'Other', { set: 'other', members: ['pine'], description: 'Other' });
    const slow = derived('goods', 'not (p in fast)', 'slow');
    const pairs = card('data', 'Pairs', {
      set: 'pairs',
      file_path: 'pairs.csv',
      key: ['a', 'b'],
      description: 'Pairs',
    });
    const amount = card('variable', 'amount', { name: 'amount', index: 'p in goods', upper: 3 });
    const fast = card('data', 'fast', { set: 'fast', description: 'Derived', ...data });
    const known = [goods, other, slow, amount, fast, goal('sum p in goods: amount[p]')];
    expect(messagesOf([...known, pairs])).toEqual(expected);
    expect(problemOf(...known)).toContain('The data card "');
  });

  it('report a set without a name', () => {
    const cards = [goods, card('data', 'fast', { of: 'goods', where: 'lead[p] <= 3' }), make('p in goods'), goal('1')];
    expect(messagesOf(cards)).toEqual(['set (blocking): What should the set be called?']);
    expect(problemOf(...cards)).toBe('The data card "fast": What should the set be called?');
  });
});

describe('derived sets in scenarios', () => {
  const cards = [goods, limits(), derived('goods', 'lead[p] <= limit'), make(), profit];
  const best = (...changes: Change[]) => {
    const { cards: changed, problems } = applyChanges(cards, changes, { files: NO_FILES, name: 'Test' });
    expect(problems).toEqual([]);
    return solve(...changed).objective_value;
  };

  it.each<[string, Change[], number]>([
    ['a value', [{ kind: 'value', target: 'limit', to: 5 }], 210],
    ['a column', [{ kind: 'column', target: 'lead', plus: -1 }], 120],
    ['a cell', [{ kind: 'cell', target: 'lead', key: ['oak'], to: 1 }], 210],
    ['a column of their members', [{ kind: 'column', target: 'price', plus: 1, where: 'goods in fast' }], 140],
    [
      'a column of their members at the time of the change',
      [
        { kind: 'column', target: 'price', plus: 1, where: 'goods in fast' },
        { kind: 'value', target: 'limit', to: 5 },
      ],
      230,
    ],
  ])('follow a change of %s', (_, changes, objective) => {
    expect(best(...changes)).toBeCloseTo(objective, 9);
  });
});

describe('random derived sets', () => {
  it('have the members and optima of an enumeration', () => {
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 1103515245 + 12345) % 2 ** 31;
      return Math.floor((seed / 2 ** 31) * below);
    };
    for (let rounds = 0; rounds < 100;) {
      const names = ['a', 'b', 'c', 'd', 'e', 'f'];
      const [one, other] = [0, 1].map(() => names.filter(() => random(2) === 0));
      const cellsOf = (below: number) => Object.fromEntries(names.map((name) => [name, random(below)]));
      const [worth, size, level] = [cellsOf(9), cellsOf(3), cellsOf(4)];
      const border = random(4);
      const room = 1 + random(6);
      const both = [...new Set([...one!, ...other!])];
      const chosen = both.filter((name) => level[name]! >= border && !(other!.includes(name) && size[name] === 2));
      if (one!.length === 0 || other!.length === 0 || chosen.length === 0) continue;
      rounds += 1;
      const best = Math.max(
        ...Array.from({ length: 2 ** chosen.length }, (_, plan) => {
          const taken = chosen.filter((__, at) => (plan >> at) % 2 === 1);
          const total = (cells: Record<string, number>) => taken.reduce((sum, name) => sum + cells[name]!, 0);
          return total(size) > room ? -Infinity : total(worth);
        }),
      );
      const cards = [
        derived('m in both', `level[m] >= ${border} and not (m in large)`, 'chosen'),
        derived('other', 'size[q] = 2', 'large'),
        derived(['one', 'other'], undefined, 'both'),
        card('data', 'All', { set: 'all', members: names, values: { worth, size, level } }),
        card('data', 'One', { set: 'one', members: one }),
        card('data', 'Other', { set: 'other', members: other }),
        card('variable', 'take', { name: 'take', index: 'p in chosen', domain: 'binary' }),
        card('constraint', 'Room', {
          expression: `sum p in chosen: size[p] * take[p] <= ${room}`,
          classification: 'hard',
        }),
        goal('sum p in chosen: worth[p] * take[p]'),
      ];
      expect(blockingOf(cards)).toEqual([]);
      expect(membersOf(...cards)).toEqual(chosen);
      expect(solve(...cards).objective_value).toBeCloseTo(best, 9);
    }
  });
});
