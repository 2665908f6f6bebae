import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ColumnCells } from '../../data-engine/tasks.js';
import { readCanvas } from '../model/canvas-reader.js';
import { type Model, ModelProblem } from '../../solver/model.js';
import type { ModelCard, SetTable } from '../model/model-card.js';
import { readData } from '../data-content.js';
import { type FileFacts, type FileState, fileKey } from '../data-file.js';
import { applyChanges, withOtherFiles } from './apply-changes.js';
import { type Change, CHANGE_KINDS, problemOfForm, sentenceOf } from './change.js';

const card = (card_type: ModelCard['card_type'], label: string, data: object): ModelCard => ({
  id: label.toLowerCase().replaceAll(' ', '-'),
  card_type,
  label,
  data: data as ModelCard['data'],
});

/** Canvas with three products in a file, demand by product and week in another file, and weeks on a card. */
const CARDS: ModelCard[] = [
  card('data', 'Figures', { values: { hours: 100, rate: 2, least: 50 } }),
  card('data', 'Goods', { set: 'products', file_path: 'products.csv', key: ['product'] }),
  card('data', 'Orders', { set: 'orders', file_path: 'orders.csv', key: ['product', 'Week no'], default: 7 }),
  card('data', 'Weeks', {
    set: 'weeks',
    members: '1 to 3',
    values: { need: { 1: 10, 2: 20, 3: 30 }, twin: { 1: 2, 2: 3, 3: 1 }, season: { 1: 'low', 2: 'high', 3: 'high' } },
  }),
  card('variable', 'Make', { name: 'make', index: 'p in products', domain: 'continuous', upper: 'cap[p]' }),
  card('variable', 'Store', { name: 'store', index: 't in weeks', domain: 'continuous' }),
  card('variable', 'Extra', { name: 'extra', domain: 'continuous', lower: 2, upper: 10 }),
  card('variable', 'Change', { name: 'change', domain: 'continuous', free: true }),
  card('objective', 'Profit', {
    sense: 'maximize',
    expression: 'sum p in products: price[p] * make[p] + rate * extra',
  }),
  card('constraint', 'Labour', { expression: 'sum p in products: make[p] <= hours', classification: 'hard' }),
  card('constraint', 'Overtime', { expression: 'extra <= 8', classification: 'hard' }),
  card('constraint', 'Need', { expression: 'store[t] >= need[t]', index: 't in weeks', classification: 'hard' }),
  card('constraint', 'Sold', {
    expression: 'make[p] <= demand[p, t]',
    index: 'p in products, t in weeks',
    classification: 'hard',
  }),
  card('constraint', 'Twice', { expression: 'extra >= 0', classification: 'hard' }),
  card('constraint', 'twice', { expression: 'extra >= 1', classification: 'hard' }),
  card('kpi', 'Cost', { description: 'Cost', expression: '3 extra' }),
  card('production_requirement', 'Ten', { description: 'ten', quantity: 10 }),
].map((one, at) => ({ ...one, id: `${one.id}-${at}` }));
const idOf = (label: string): string => CARDS.find((one) => one.label === label)!.id;

const figures = (...cells: number[]): ColumnCells => ({ type: 'number', figures: Float64Array.from(cells) });
const texts = (...cells: string[]): ColumnCells => {
  const all = [...new Set(cells)];
  return { type: 'text', texts: all, places: Int32Array.from(cells, (cell) => all.indexOf(cell)) };
};
type Table = Record<string, ColumnCells>;
const PRODUCTS: Table = {
  product: texts('oak chair', 'table', 'stool'),
  price: figures(90, 210, 45),
  cap: figures(40, NaN, 60),
  region: texts('north', 'south', 'north'),
};
const FILES: Record<string, Table> = {
  'products.csv': { ...PRODUCTS, cap: figures(40, 30, 60) },
  'other.csv': { ...PRODUCTS, cap: figures(1, 2, 3) },
  'orders.csv': {
    product: texts('oak chair', 'oak chair', 'table'),
    'Week no': figures(1, 2, 1),
    demand: figures(30, 45, NaN),
  },
};
const factsOf = (table: Table): FileFacts => ({
  columns: Object.entries(table).map(([name, { type }]) => ({ name, type })),
});

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'scenarios-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns the state of each file that the cards use. */
function statesOf(cards: readonly ModelCard[], unread: readonly string[] = []): Map<string, FileState> {
  return new Map(
    cards.flatMap((one): [string, FileState][] => {
      const { file } = readData(one);
      if (file === undefined) return [];
      const table = FILES[file.path];
      return [
        [fileKey(file), table === undefined ? 'missing' : unread.includes(file.path) ? 'unread' : factsOf(table)],
      ];
    }),
  );
}

/** Writes the tables of the cards to disk, in the format that a solve reads. */
function tablesOf(cards: readonly ModelCard[]): Map<string, SetTable> {
  return new Map(
    cards.flatMap((one): [string, SetTable][] => {
      const { file } = readData(one);
      const table = FILES[file?.path ?? ''];
      if (file === undefined || table === undefined) return [];
      const names = Object.keys(table);
      const path = join(folder, file.path);
      writeFileSync(path, serialize(Object.values(table)));
      const columns = new Map(names.filter((name) => !file.key.includes(name)).map((name) => [name, name]));
      return [[one.id, { file: path, names, columns, rowNumbers: [{ index: 0, row: 2 }] }]];
    }),
  );
}

const apply = (changes: readonly Change[], cards: readonly ModelCard[] = CARDS, unread: readonly string[] = []) =>
  applyChanges(cards, changes, { files: statesOf(withOtherFiles(cards, changes), unread), name: 'Two shifts' });

/** Returns the model after the changes. */
function modelOf(...changes: Change[]): Model {
  const { cards, problems } = apply(changes);
  expect(problems).toEqual([]);
  return readCanvas(cards, tablesOf(cards));
}

const boundsOf = ({ variables }: Model, name: string): [number, number] => {
  const { lower, upper } = variables.find((one) => one.name === name)!;
  return [lower, upper];
};
const uppersOf = ({ rows }: Model, label: string): number[] =>
  rows.filter(({ name }) => name === label || name.startsWith(`${label}[`)).map(({ upper }) => upper);
const lowersOf = ({ rows }: Model, label: string): number[] =>
  rows.filter(({ name }) => name === label || name.startsWith(`${label}[`)).map(({ lower }) => lower);
/** Returns the prices of the three products. */
const pricesOf = ({ objective, variables }: Model): number[] =>
  ['oak chair', 'table', 'stool'].map((product) => {
    const at = variables.findIndex(({ name }) => name === `make[${product}]`);
    return objective.coefficients[Array.from(objective.variables).indexOf(at)] ?? 0;
  });
const failureOf = (...changes: Change[]): string => {
  try {
    modelOf(...changes);
    return '';
  } catch (error) {
    if (error instanceof ModelProblem) return error.message;
    throw error;
  }
};

describe('a scenario without changes', () => {
  it('produces the model of the canvas', () => {
    const model = modelOf();
    expect(pricesOf(model)).toEqual([90, 210, 45]);
    expect(uppersOf(model, 'Labour')).toEqual([100]);
    expect(uppersOf(model, 'Sold')).toEqual([30, 45, 7, 7, 7, 7, 7, 7, 7]);
    expect(lowersOf(model, 'Need')).toEqual([10, 20, 30]);
    expect(boundsOf(model, 'make[table]')).toEqual([0, 30]);
    expect(apply([]).cards).toEqual(CARDS);
  });
});

describe('a value change', () => {
  it.each<[Partial<Change>, number]>([
    [{ times: 1.5 }, 150],
    [{ plus: -30 }, 70],
    [{ to: 42 }, 42],
    [{ to: 0 }, 0],
    [{ times: 0 }, 0],
  ])('changes the model: %j', (how, hours) => {
    expect(uppersOf(modelOf({ kind: 'value', target: 'hours', ...how }), 'Labour')).toEqual([hours]);
  });

  it('is applied without reading a large card again for each change', () => {
    let readings = 0;
    const cells = new Proxy<Record<string, number>>(
      { 1: 10, 2: 20 },
      {
        ownKeys: (all) => {
          readings += 1;
          return Reflect.ownKeys(all);
        },
      },
    );
    const readingsOf = (changes: number): number => {
      const all = [card('data', 'Weeks', { set: 'weeks', members: '1 to 2', values: { hours: 1, need: cells } })];
      readings = 0;
      const { cards } = apply(
        Array.from({ length: changes }, () => ({ kind: 'value', target: 'hours', plus: 1 })),
        all,
      );
      expect(cards[0]?.data['values']).toMatchObject({ hours: 1 + changes });
      return readings;
    };
    readingsOf(1);
    expect(readingsOf(50)).toBeLessThanOrEqual(readingsOf(1));
  });

  it('builds on earlier changes to the same value', () => {
    const twice: Change = { kind: 'value', target: 'hours', times: 2 };
    const more: Change = { kind: 'value', target: 'hours', plus: 5 };
    expect(uppersOf(modelOf(twice, more), 'Labour')).toEqual([205]);
    expect(uppersOf(modelOf(more, twice), 'Labour')).toEqual([210]);
  });
});

describe('a bound change', () => {
  it.each<[string, Partial<Change>, string, [number, number]]>([
    ['extra.upper', { times: 1.5 }, 'extra', [2, 15]],
    ['extra.lower', { plus: 1 }, 'extra', [3, 10]],
    ['extra.upper', { to: 4 }, 'extra', [2, 4]],
    ['make.upper', { times: 1.5 }, 'make[oak chair]', [0, 60]],
    ['make.upper', { times: -1 }, 'make[oak chair]', [0, -40]],
    ['make.upper', { plus: -5 }, 'make[stool]', [0, 55]],
    ['make.upper', { to: 5 }, 'make[stool]', [0, 5]],
    ['make.lower', { plus: 3 }, 'make[stool]', [3, 60]],
    ['make.lower', { times: 3 }, 'make[stool]', [0, 60]],
    ['store.upper', { to: 90 }, 'store[2]', [0, 90]],
    ['change.lower', { to: -4 }, 'change', [-4, Infinity]],
  ])('changes the model: %s %j', (target, how, variable, bounds) => {
    expect(boundsOf(modelOf({ kind: 'bound', target, ...how }), variable)).toEqual(bounds);
  });

  it('extends the formula of the bound, so that changes to its columns still apply', () => {
    const changes: Change[] = [
      { kind: 'bound', target: 'make.upper', times: 1.5 },
      { kind: 'bound', target: 'make.upper', plus: 1 },
      { kind: 'cell', target: 'cap', key: ['table'], to: 100 },
    ];
    expect(apply(changes).cards[4]?.data['upper']).toBe('((cap[p]) * 1.5) + 1');
    expect(boundsOf(modelOf(...changes), 'make[table]')).toEqual([0, 151]);
  });
});

describe('an added constraint', () => {
  it.each<[string, number[], number[]]>([
    ['extra <= 4', [-Infinity], [4]],
    ['make["stool"] >= 2', [2], [Infinity]],
    ['make[p] <= 40 for p in products', [-Infinity, -Infinity, -Infinity], [40, 40, 40]],
    ['make[p] = least for p in products where region[p] = "north"', [50, 50], [50, 50]],
    ['2 <= sum t in weeks: store[t] <= 9', [2], [9]],
  ])('applies in addition to all bounds: %s', (target, lower, upper) => {
    const model = modelOf({ kind: 'add', target });
    expect(lowersOf(model, target)).toEqual(lower);
    expect(uppersOf(model, target)).toEqual(upper);
    expect(boundsOf(model, 'make[table]')).toEqual([0, 30]);
    expect(boundsOf(model, 'extra')).toEqual([2, 10]);
  });

  it.each([
    ['extra', 'The formula needs <=, >= or ='],
    ['extra <= * 4', '`*`'],
    ['extra <= boxes', 'no variable or value is called boxes'],
    ['make <= 40', 'make'],
    ['make[p] <= 40 for p in goods', 'goods'],
    ['make["a", "b"] <= 40', 'make'],
  ])('is rejected with a reason: %s', (target, problem) => {
    expect(apply([{ kind: 'add', target }]).problems).toEqual([
      { index: 0, field: 'target', problem: expect.stringContaining(problem) },
    ]);
  });

  it('cannot have fields other than the relation', () => {
    expect(problemOfForm({ kind: 'add', target: 'extra <= 4', to: 3 })).toMatchObject({ field: 'to' });
  });
});

describe('a column change', () => {
  it.each<[Partial<Change>, number[]]>([
    [{ times: 2 }, [180, 420, 90]],
    [{ plus: 10 }, [100, 220, 55]],
    [{ to: 1 }, [1, 1, 1]],
    [{ times: 2, where: 'region = "north"' }, [180, 210, 90]],
    [{ times: 2, where: 'region[product] = "north" and price > 50' }, [180, 210, 45]],
    [{ to: 0, where: 'product = "table" or price[product] < 50' }, [90, 0, 0]],
    [{ to: 0, where: 'not (region = "north")' }, [90, 0, 45]],
    [{ to: 0, where: 'price > least' }, [0, 0, 45]],
    [{ to: 0, where: 'price * rate >= 2 * 90' }, [0, 0, 45]],
    [{ to: 0, where: 'price["stool"] = price' }, [90, 210, 0]],
    [{ to: 0, where: '(sum q in products where region[q] = region[product]: 1) > 1' }, [0, 210, 0]],
  ])('changes a column in a file: %j', (how, prices) => {
    expect(pricesOf(modelOf({ kind: 'column', target: 'price', ...how }))).toEqual(prices);
  });

  it.each<[Partial<Change>, number[]]>([
    [{ times: 2 }, [20, 40, 60]],
    [{ to: 0, where: 'weeks = 2' }, [10, 0, 30]],
    [{ to: 0, where: 'weeks > 1 and season = "high"' }, [10, 0, 0]],
    [{ to: 0, where: 'season[weeks] = "low"' }, [0, 20, 30]],
    [{ to: 0, where: 'need[weeks - 1] = 10' }, [10, 0, 30]],
    [{ to: 0, where: 'need[twin] >= 30' }, [10, 0, 30]],
  ])('changes a column on the canvas: %j', (how, needs) => {
    expect(lowersOf(modelOf({ kind: 'column', target: 'need', ...how }), 'Need')).toEqual(needs);
  });

  it('can use both key parts, columns with a single key, and defaults for missing values in its condition', () => {
    const change: Change = { kind: 'column', target: 'demand', plus: 1 };
    expect(uppersOf(modelOf(change), 'Sold')).toEqual([31, 46, 7, 8, 7, 7, 7, 7, 7]);
    const where = 'Week_no = 1 and region[product] = "north"';
    expect(uppersOf(modelOf({ ...change, where }), 'Sold')).toEqual([31, 45, 7, 7, 7, 7, 7, 7, 7]);
  });

  it('affects the conditions of subsequent changes, just like a value change', () => {
    const cheap: Change = { kind: 'column', target: 'price', to: 1, where: 'price < least' };
    const double: Change = { kind: 'column', target: 'price', times: 2 };
    const more: Change = { kind: 'value', target: 'least', to: 100 };
    expect(pricesOf(modelOf(cheap))).toEqual([90, 210, 1]);
    expect(pricesOf(modelOf(more, cheap))).toEqual([1, 210, 1]);
    expect(pricesOf(modelOf(cheap, more))).toEqual([90, 210, 1]);
    expect(pricesOf(modelOf(more, double, cheap))).toEqual([180, 420, 1]);
    expect(pricesOf(modelOf(more, cheap, double))).toEqual([2, 420, 2]);
    const elsewhere: Change = { kind: 'column', target: 'demand', to: 0, where: 'price[product] = 180' };
    expect(uppersOf(modelOf(double, elsewhere), 'Sold').slice(0, 2)).toEqual([0, 0]);
    expect(failureOf(elsewhere, double)).toMatch(/^Change 1 \(demand\) .+: no member of orders matches/);
  });

  it('interprets an ambiguous name in a condition as part of the key', () => {
    const cards = [
      ...CARDS,
      card('data', 'Words', { values: { product: 3, q: 5 } }),
      card('data', 'Days', {
        set: 'days',
        members: ['a', 'b'],
        values: { days: { a: 1, b: 2 }, rest: { a: 1, b: 1 } },
      }),
      card('constraint', 'Rest', {
        expression: 'extra >= rest[d] + 10 days[d]',
        index: 'd in days',
        classification: 'hard',
      }),
    ];
    const { cards: made, problems } = apply(
      [
        { kind: 'column', target: 'price', to: 0, where: 'product = "table"' },
        { kind: 'column', target: 'price', plus: 1, where: '(sum q in products where q = "stool": price[q]) = 45' },
        { kind: 'column', target: 'rest', to: 5, where: 'days = "b" and days[days] = 2' },
      ],
      cards,
    );
    expect(problems).toEqual([]);
    const model = readCanvas(made, tablesOf(made));
    expect(pricesOf(model)).toEqual([91, 1, 46]);
    expect(lowersOf(model, 'Rest')).toEqual([11, 25]);
  });

  it('can use unknown columns if their file has not been read', () => {
    const change: Change = { kind: 'column', target: 'price', times: 2, where: 'area = "north"' };
    expect(apply([change]).problems).toHaveLength(1);
    const { cards, problems } = apply([change], CARDS, ['products.csv']);
    expect(problems).toEqual([]);
    expect(cards[1]?.adjustments).toMatchObject([{ column: 'price', times: 2, where: 'area = "north"' }]);
  });
});

describe('a cell change', () => {
  it.each<[Partial<Change>, number[]]>([
    [{ key: ['oak chair'], to: 30 }, [30, 210, 45]],
    [{ key: [' table '], times: 2 }, [90, 420, 45]],
    [{ key: ['stool'], plus: -5 }, [90, 210, 40]],
  ])('changes the model: %j', (how, prices) => {
    expect(pricesOf(modelOf({ kind: 'cell', target: 'price', ...how }))).toEqual(prices);
  });

  it('accepts a string or number for each key column', () => {
    for (const key of [
      ['oak chair', 2],
      ['oak chair', '2'],
    ])
      expect(uppersOf(modelOf({ kind: 'cell', target: 'demand', key, to: 1 }), 'Sold').slice(0, 3)).toEqual([30, 1, 7]);
    expect(lowersOf(modelOf({ kind: 'cell', target: 'need', key: [3], times: 2 }), 'Need')).toEqual([10, 20, 60]);
  });
});

describe('an off change', () => {
  it.each(['Overtime', ' overtime', 'OVERTIME', idOf('Overtime')])('leaves out the card %s', (target) => {
    expect(uppersOf(modelOf({ kind: 'off', target }), 'Overtime')).toEqual([]);
    expect(uppersOf(modelOf(), 'Overtime')).toEqual([8]);
  });

  it('can leave out KPIs, objectives and requirements, and prefers a label whose case matches exactly', () => {
    expect(modelOf({ kind: 'off', target: 'Cost' }).kpis).toEqual([]);
    expect(modelOf({ kind: 'off', target: 'twice' }).rows.map(({ name }) => name)).toContain('Twice');
    expect(apply([{ kind: 'off', target: 'Ten' }]).cards).toHaveLength(CARDS.length - 1);
    expect(failureOf({ kind: 'off', target: 'Profit' })).toMatch(/no objective/);
  });
});

describe('a file change', () => {
  it.each(['products', 'Goods', 'goods'])('replaces the file of %s', (target) => {
    expect(boundsOf(modelOf({ kind: 'file', target, to: 'other.csv' }), 'make[oak chair]')).toEqual([0, 1]);
  });

  it('applies before all other changes', () => {
    const times: Change = { kind: 'column', target: 'cap', times: 10 };
    const file: Change = { kind: 'file', target: 'products', to: 'other.csv' };
    for (const changes of [
      [times, file],
      [file, times],
    ])
      expect(boundsOf(modelOf(...changes), 'make[stool]')).toEqual([0, 30]);
  });
});

describe('an invalid change', () => {
  const column = (target: string, more: Partial<Change> = {}): Change => ({
    kind: 'column',
    target,
    times: 2,
    ...more,
  });
  const where = (text: string): Change => column('price', { where: text });
  const cell = (target: string, key: Change['key'], more: Partial<Change> = {}): Change => ({
    kind: 'cell',
    target,
    ...(key && { key }),
    to: 1,
    ...more,
  });
  const bound = (target: string, more: Partial<Change> = { to: 1 }): Change => ({ kind: 'bound', target, ...more });
  const value = (target: string, more: Partial<Change> = { to: 1 }): Change => ({ kind: 'value', target, ...more });
  const off = (target: string): Change => ({ kind: 'off', target });
  const file = (target: string, to: Change['to']): Change => ({
    kind: 'file',
    target,
    ...(to !== undefined && { to }),
  });

  it.each<[Change, string | undefined, string]>([
    [value('hourz'), 'target', 'no data card has a value called hourz'],
    [value('price'), 'target', 'price is a column of products: use the kind `column`, or `cell` for one member'],
    [
      value('extra'),
      'target',
      'extra is a variable: to change its bounds, use `extra.lower` or `extra.upper` with the kind `bound`',
    ],
    [value('weeks'), 'target', 'weeks is a set: name one of its columns'],
    [value('hours', {}), undefined, 'exactly one of `times`, `plus` and `to` is required'],
    [value('hours', { times: 2, to: 3 }), undefined, 'exactly one of `times`, `plus` and `to` is required'],
    [value('hours', { to: 'many' }), 'to', 'a number is required'],
    [value('hours', { times: 1e308 }), 'times', 'the number becomes too large'],
    [value('hours', { to: 1, where: 'price > 1' }), 'where', 'only the kind `column` takes `where`'],
    [value('hours', { to: 1, key: ['a'] }), 'key', 'only the kind `cell` takes `key`'],
    [bound('extra'), 'target', 'write a bound as the name of its variable and `.lower` or `.upper`, as in `x.upper`'],
    [
      bound('extra.middle'),
      'target',
      'write a bound as the name of its variable and `.lower` or `.upper`, as in `x.upper`',
    ],
    [bound('hours.upper'), 'target', 'hours is a value of a data card: use the kind `value`'],
    [bound('nothing.upper'), 'target', 'no variable is called nothing'],
    [bound('store.upper', { times: 2 }), 'times', 'store has no upper bound: use `to` to set one'],
    [bound('change.lower', { plus: 2 }), 'plus', 'change has no lower bound: use `to` to set one'],
    [bound('extra.upper', { times: 1e308 }), 'times', 'the number becomes too large'],
    [column('prize'), 'target', 'no column is called prize'],
    [column('hours'), 'target', 'hours is a value of a data card: use the kind `value`'],
    [
      column('make'),
      'target',
      'make is a variable: to change its bounds, use `make.lower` or `make.upper` with the kind `bound`',
    ],
    [column('region'), 'target', 'region contains texts, and only numbers can be changed'],
    [where('region ='), 'where', 'The formula ends too early'],
    [where('region'), 'where', 'A condition must compare two values, as in `demand[p] > 0`'],
    [
      where('area = "north"'),
      'where',
      'nothing is called area: the condition can use product, price, cap, region of products, and texts in double quotes',
    ],
    [
      where('region = north'),
      'where',
      'nothing is called north: the condition can use product, price, cap, region of products, and texts in double quotes',
    ],
    [
      where('region > 3'),
      'where',
      'A text cannot be compared with a number: write texts in double quotes and numbers without quotes',
    ],
    [where('need > 3'), 'where', 'need is a column of weeks: write `need[p]`'],
    [
      { kind: 'column', target: 'demand', times: 2, where: 'price > 3' },
      'where',
      'price is a column of products: write `price[product]` or `price[Week_no]`',
    ],
    [
      where('make[product] > 3'),
      'where',
      'A condition cannot contain the variable make: compare known values, or write a constraint',
    ],
    [
      where('region[p] = "north"'),
      'where',
      'It is unclear which members p refers to: add `for p in ...` or `sum p in ...` with a set, or write "p" in quotes for the member of that name',
    ],
    [cell('price', undefined), 'key', 'the kind `cell` needs the `key` of a member, with one part for each key column'],
    [cell('price', []), 'key', 'the kind `cell` needs the `key` of a member, with one part for each key column'],
    [cell('price', ['a', 'b']), 'key', 'price is a column of products, whose members have one part, not 2'],
    [cell('demand', ['a']), 'key', 'demand is a column of orders, whose members have 2 parts, not 1'],
    [cell('need', [4]), 'key', 'weeks has no member "4"'],
    [cell('region', ['table']), 'target', 'region contains texts, and only numbers can be changed'],
    [off('Nothing'), 'target', 'no constraint, objective, KPI or production requirement is called Nothing'],
    [off('tWICE'), 'target', 'several cards are called tWICE: use the id of one of them'],
    [
      off('Extra'),
      'target',
      'Extra is a variable: only constraints, objectives, KPIs and production requirements can be switched off',
    ],
    [
      off('Goods'),
      'target',
      'Goods is data: only constraints, objectives, KPIs and production requirements can be switched off',
    ],
    [{ ...off('Labour'), to: 3 }, 'to', 'the kind `off` does not take `times`, `plus` or `to`'],
    [file('shops', 'other.csv'), 'target', 'no set or data card is called shops'],
    [file('weeks', 'other.csv'), 'target', 'weeks is not read from a file'],
    [file('products', undefined), 'to', 'the path of a file is required'],
    [file('products', 3), 'to', 'the path of a file is required'],
    [file('products', 'missing.csv'), 'to', 'the workspace has no file missing.csv'],
    [file('products', 'a/../b.csv'), 'to', "path must not contain '.' or '..' segments"],
    [
      { ...file('products', 'other.csv'), times: 2 },
      'times',
      'the kind `file` takes only `to`, the path of another file',
    ],
  ])('is reported with the problem and the field: %j', (change, field, problem) => {
    const before: Change = { kind: 'value', target: 'rate', to: 3 };
    const { problems } = apply([before, change]);
    expect(problems).toEqual([{ index: 1, ...(field !== undefined && { field }), problem }]);
    expect(sentenceOf(problems[0]!, [before, change])).toBe(`change 2 (${change.target}): ${problem}`);
  });

  it('is reported if it repeats an off change or if its target is ambiguous', () => {
    const found = apply([off('Labour'), value('hourz'), off('labour')]).problems;
    expect(found).toEqual([
      { index: 1, field: 'target', problem: 'no data card has a value called hourz' },
      { index: 2, field: 'target', problem: 'labour is already switched off' },
    ]);
    const doubled = card('data', 'Others', {
      set: 'others',
      members: ['a'],
      values: { price: { a: 1 }, more: { a: 1 } },
    });
    expect(apply([column('price')], [...CARDS, doubled]).problems[0]?.problem).toMatch(
      /^price is a column of both products and others: /,
    );
    const second = card('data', 'More', { values: { hours: 3 } });
    expect(apply([value('hours')], [...CARDS, second]).problems[0]?.problem).toBe(
      'several data cards have a value called hours',
    );
  });

  it('fails during the solve if only the data reveals the problem', () => {
    const called = (target: string) => `Change 1 (${target}) of the scenario "Two shifts": `;
    expect(failureOf(cell('price', ['oak char']))).toBe(`${called('price')}products has no member "oak char"`);
    expect(failureOf(cell('demand', ['stool', 1]))).toBe(`${called('demand')}orders has no member "stool", "1"`);
    expect(failureOf(where('region = "nrth"'))).toBe(
      `${called('price')}no member of products matches \`where region = "nrth"\``,
    );
    expect(failureOf(where('product > 3'))).toMatch(
      /^Change 1 \(price\) of the scenario "Two shifts": product is used/,
    );
  });
});

describe('applyChanges', () => {
  const name = fc.constantFrom(
    'hours',
    'rate',
    'price',
    'cap',
    'demand',
    'need',
    'region',
    'extra.upper',
    'make.upper',
    'store.lower',
    'change.lower',
    'Labour',
    'Overtime',
    'twice',
    'products',
    'Goods',
    'weeks',
    'nothing',
    'extra <= hours',
    '__proto__',
  );
  const figure = fc.constantFrom(0, 1, -2, 1.5, 1e-7, 1e21, 1e300);
  const change: fc.Arbitrary<Change> = fc.record(
    {
      kind: fc.constantFrom(...CHANGE_KINDS),
      target: name,
      where: fc.constantFrom(
        'region = "north"',
        'price > 50',
        'price > least',
        'product = "table"',
        'weeks > 1',
        'x',
        '(',
      ),
      key: fc.constantFrom<(string | number)[]>(['table'], ['oak chair', 1], [2], []),
      times: figure,
      plus: figure,
      to: fc.oneof(figure, fc.constantFrom('other.csv', 'missing.csv')),
    },
    { requiredKeys: ['kind', 'target'] },
  );

  it('keeps its input unchanged and reports a reason for every skipped change', () => {
    const before = structuredClone(CARDS);
    fc.assert(
      fc.property(fc.array(change, { maxLength: 6 }), (changes) => {
        const { cards, problems } = apply(changes);
        expect(CARDS).toEqual(before);
        for (const [index, one] of changes.entries())
          if (problemOfForm(one) !== undefined) expect(problems.map((problem) => problem.index)).toContain(index);
        // Removing the invalid changes must not alter the effect of the valid changes.
        const fitting = changes.filter(
          (one, index) => !problems.some((problem) => problem.index === index) || one.kind === 'file',
        );
        if (!changes.some(({ kind }) => kind === 'file')) {
          const places = (all: ModelCard[]) =>
            all.map(({ adjustments = [], ...rest }) => ({ ...rest, made: adjustments.length }));
          expect(places(apply(fitting).cards)).toEqual(places(cards));
          expect(apply(fitting).problems).toEqual([]);
        }
      }),
    );
  });

  it('returns cards that either form a model or cause a ModelProblem that names the scenario or a card', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 4 }), (changes) => {
        const { cards } = apply(changes);
        try {
          readCanvas(cards, tablesOf(cards));
        } catch (error) {
          expect(error).toBeInstanceOf(ModelProblem);
          expect((error as ModelProblem).message).toMatch(
            /^(?:Change \d+ \(.+\) of the scenario|The .+ card|The canvas)/,
          );
        }
      }),
    );
  });

  it('applies several changes to the same number in order', () => {
    const operation = fc.oneof(
      fc.record({ times: fc.integer({ min: -9, max: 9 }) }),
      fc.record({ plus: fc.integer({ min: -99, max: 99 }) }),
      fc.record({ to: fc.integer({ min: -99, max: 99 }) }),
    );
    const done = (start: number, all: { times?: number; plus?: number; to?: number }[]): number =>
      all.reduce((now, { times, plus, to }) => to ?? (times === undefined ? now + (plus ?? 0) : now * times), start);
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 5 }), (all) => {
        const model = modelOf(
          ...all.map((one): Change => ({ kind: 'value', target: 'hours', ...one })),
          ...all.map((one): Change => ({ kind: 'column', target: 'price', ...one })),
          ...all.map((one): Change => ({ kind: 'cell', target: 'need', key: [2], ...one })),
          ...all.map((one): Change => ({ kind: 'bound', target: 'extra.upper', ...one })),
          ...all.map((one): Change => ({ kind: 'bound', target: 'make.upper', ...one })),
        );
        expect(uppersOf(model, 'Labour')).toEqual([done(100, all)].map((one) => one + 0));
        expect(pricesOf(model).map((one) => one || 0)).toEqual([90, 210, 45].map((one) => done(one, all) || 0));
        expect(lowersOf(model, 'Need').map((one) => one || 0)).toEqual([10, done(20, all) || 0, 30]);
        expect(boundsOf(model, 'extra')[1]).toBe(done(10, all));
        expect(boundsOf(model, 'make[stool]')[1] || 0).toBeCloseTo(done(60, all) || 0, 6);
      }),
    );
  });
});
