import { describe, expect, it } from '@jest/globals';
import type { ColumnCells } from '../data-engine/tasks.js';
import { withValues } from './column-values.js';
import { readData } from './data-content.js';
import { columnNames, type FileFacts, type FileState, type FileStates, fileKey } from './data-file.js';
import type { CardContent } from './card.js';
import { judge, judgeAndDerive } from './derivation.js';
import { modelDigest } from './model-digest.js';

let count = 0;
const card = (card_type: CardContent['card_type'], data: CardContent['data']): CardContent => ({
  id: String(count++),
  card_type,
  label: `Card ${count}`,
  data,
});
const products = (more: object = {}) =>
  card('data', { set: 'products', file_path: 'products.csv', key: ['product'], ...more });
const FACTS: FileFacts = {
  columns: [
    { name: 'product', type: 'text' },
    { name: 'price', type: 'number' },
    { name: 'Unit cost', type: 'number' },
    { name: 'region', type: 'text' },
  ],
};
/** Returns file states in which every file of the cards has the same state. */
const known = (state: FileState, ...cards: CardContent[]): FileStates =>
  new Map(cards.flatMap((one) => [readData(one).file ?? []].flat().map((file) => [fileKey(file), state] as const)));
const gapsOf = (cards: CardContent[], files: FileStates): string[] =>
  judge(cards, files).flatMap(({ gaps }) =>
    gaps.flatMap(({ severity, field, message }) => (severity === 'info' ? [] : [`${severity} ${field}: ${message}`])),
  );

describe('a set in a file', () => {
  it('lets formulas use the columns of the file but rejects calculations with text columns', () => {
    const set = products();
    const cards = [
      set,
      card('variable', { name: 'make', index: 'p in products', domain: 'integer', unit: 'pieces' }),
      card('objective', {
        sense: 'maximize',
        expression: 'sum p in products: (price[p] - Unit_cost[p]) * make[p]',
        confirmed: true,
      }),
      card('constraint', {
        expression: 'make[p] <= 3',
        index: 'p in products where region[p] = "north"',
        classification: 'hard',
      }),
    ];
    expect(gapsOf(cards, known(FACTS, set))).toEqual([]);
    expect(judgeAndDerive(cards, known(FACTS, set)).derived.data_available).toBe(true);
    const wrong = card('constraint', { expression: 'region[p] <= 3', index: 'p in products', classification: 'hard' });
    expect(gapsOf([set, wrong], known(FACTS, set))).toEqual([
      'blocking expression: region contains texts, so you cannot calculate with it: compare it in a condition, as in `where region[...] = "..."` (at character 1: region[p] <= 3)',
    ]);
  });

  it.each([
    [
      'a constraint that computes with an empty cell',
      { expression: 'make[p] <= 2 * price[p]', index: 'p in products' },
      false,
    ],
    ['a constraint whose limit is an empty cell', { expression: 'make[p] <= price[p]', index: 'p in products' }, true],
    ['a sum that uses an empty cell', { expression: 'sum p in products: price[p] * make[p] <= 9' }, false],
    [
      'a condition that can exclude the empty cell',
      { expression: 'make[p] <= price[p]', index: 'p in products where p <> "elm"' },
      true,
    ],
    ['a formula that does not use the empty cell', { expression: 'make[p] <= 3', index: 'p in products' }, true],
  ])('sets data_available to false only if a formula needs a missing value: %s', (_, formula, isAvailable) => {
    const set = products();
    const columns = FACTS.columns.map((column) => (column.name === 'price' ? { ...column, empty: ['elm'] } : column));
    const cards = [
      set,
      card('variable', { name: 'make', index: 'p in products', domain: 'integer', unit: 'pieces' }),
      card('constraint', { classification: 'hard', ...formula }),
    ];
    const files = known({ columns }, set);
    expect(judgeAndDerive(cards, files).derived.data_available).toBe(isAvailable);
    expect(gapsOf(cards, files).join().includes('price has no value for "elm"')).toBe(!isAvailable);
  });

  it.each<[string, object, FileState, string]>([
    ['the file is missing', {}, 'missing', 'blocking file_path: The workspace has no file products.csv'],
    ['the file has not been read', {}, 'unread', 'blocking file_path: products.csv has not been read yet'],
    [
      'the file is not a table',
      {},
      { problem: 'Row 3 has 4 cells', columns: [] },
      'blocking file_path: products.csv: Row 3 has 4 cells',
    ],
    [
      'the card has no key',
      { key: undefined },
      FACTS,
      'blocking key: Which column of products.csv identifies the members of products? Its columns are product, price, Unit cost, region',
    ],
    [
      'the key column is missing',
      { key: ['produkt'] },
      FACTS,
      'blocking key: products.csv has no column produkt. Its columns are product, price, Unit cost, region',
    ],
    [
      'the member column is missing',
      { key: undefined, column: 'zone' },
      FACTS,
      'blocking column: products.csv has no column zone. Its columns are product, price, Unit cost, region',
    ],
    [
      'a renamed column is missing',
      { columns: { weight: 'Weight' } },
      FACTS,
      'blocking columns: products.csv has no column Weight. Its columns are product, price, Unit cost, region',
    ],
    [
      'a member appears twice',
      {},
      { ...FACTS, doubled: { key: ['oak chair'], rows: [4, 9] } },
      'blocking key: products.csv, rows 4 and 9: the member oak chair appears twice',
    ],
    [
      'a member has no name',
      {},
      { ...FACTS, empty: { rows: [7], count: 1, column: 'product' } },
      'blocking key: products.csv, row 7: product is empty',
    ],
    [
      'the key has merged cells',
      {},
      { ...FACTS, empty: { rows: [3, 4, 6, 7, 9], count: 8, column: 'product' } },
      'blocking key: products.csv, rows 3, 4, 6, 7, 9 and 3 more: product is empty. Write it into each row, also below merged cells',
    ],
    [
      'the set has no name',
      { set: undefined },
      FACTS,
      'blocking set: What should the set of members in products.csv be called?',
    ],
    [
      'the card also lists members',
      { members: ['a', 'b'] },
      FACTS,
      'blocking members: The members come from the file: remove either `members` or `key`',
    ],
    [
      'the card has both a key and a column',
      { column: 'region' },
      FACTS,
      'blocking column: It has both `key` and `column`: keep `key` if product identifies each row, or `column` if the members are the distinct values of region',
    ],
    [
      'the key is not a list',
      { key: 'product' },
      FACTS,
      'blocking key: key must be a list of at most 5 different columns of the file',
    ],
  ])('is reported as unusable if %s', (_, more, state, message) => {
    const set = products(more);
    set.data = Object.fromEntries(Object.entries(set.data).filter(([, value]) => value !== undefined));
    expect(gapsOf([set], known(state, set))).toContain(message);
    expect(judgeAndDerive([set], known(state, set)).derived.data_available).toBe(false);
  });

  it('causes a warning that lists the rows without a member', () => {
    const set = card('data', { set: 'products', file_path: 'products.csv', column: 'product' });
    const state = { ...FACTS, empty: { rows: [3, 4], count: 2, column: 'product' } };
    expect(gapsOf([set], known(state, set))).toEqual([
      'warning column: products.csv, rows 3, 4: product is empty, so they belong to no member. Write it into each row, also below merged cells',
    ]);
  });

  it('is optional on a data card that names a file', () => {
    const file = card('data', { file_path: 'notes.csv', description: 'Notes' });
    expect(judgeAndDerive([file], known('unread', file)).derived.data_available).toBe(true);
    expect(gapsOf([file], known('missing', file))).toEqual(['blocking file_path: The workspace has no file notes.csv']);
  });

  it.each<[string, string, boolean, string]>([
    ['cost[o, d] * x <= 9', 'o in plants, d in towns', false, 'cost has no value for "rome", "york" and 1 more'],
    ['cost[o, d] * x <= 9', 'o in plants, d in towns where o = "bonn" and d = "york"', true, ''],
    ['cost[o, d] * x <= 9', '(o, d) in lanes', true, ''],
    [
      'x <= 9',
      'o in plants, d in towns where o <> "rome" and o <> "bonn"',
      true,
      'Nothing in plants, towns meets this',
    ],
    ['x <= 9', '(o, d) in lanes where cost[o, d] > 3 and o = "bonn"', true, 'Nothing in lanes meets this condition'],
  ])('needs values only for the members that a formula uses: %s for %s', (expression, index, isAvailable, gap) => {
    const lanes = card('data', { set: 'lanes', file_path: 'lanes.csv', key: ['from', 'to'] });
    const text = (...texts: string[]): ColumnCells => ({ type: 'text', texts, places: Int32Array.of(0, 1) });
    const columns = withValues(
      ['from', 'to', 'cost'].map((name) => ({ name, type: name === 'cost' ? 'number' : 'text' })),
      [text('rome', 'bonn'), text('oslo', 'york'), { type: 'number', figures: Float64Array.of(5, 2) }],
      ['from', 'to'],
    );
    const cards = [
      lanes,
      card('data', { set: 'plants', members: ['rome', 'bonn'], description: 'Plants' }),
      card('data', { set: 'towns', members: ['oslo', 'york'], description: 'Towns' }),
      card('variable', { name: 'x', unit: 'pallets' }),
      card('constraint', { classification: 'hard', expression, index }),
    ];
    const files = known({ columns, rows: 2 }, lanes);
    expect(judgeAndDerive(cards, files).derived.data_available).toBe(isAvailable);
    expect(gapsOf(cards, files).join()).toContain(gap);
    expect(gapsOf(cards, files)).toHaveLength(gap === '' ? 0 : 1);
  });

  it('has pairs as members if the key has two columns', () => {
    const lanes = card('data', { set: 'lanes', file_path: 'lanes.csv', key: ['from', 'to'] });
    const facts: FileFacts = {
      columns: ['from', 'to', 'cost'].map((name) => ({ name, type: name === 'cost' ? 'number' : 'text' })),
    };
    const ship = (index: string) => card('variable', { name: 'ship', index, domain: 'integer', unit: 'pallets' });
    expect(gapsOf([lanes, ship('(o, d) in lanes where cost[o, d] > 2')], known(facts, lanes))).toEqual([]);
    expect(gapsOf([lanes, ship('o in lanes')], known(facts, lanes))).toEqual([
      'blocking index: lanes has members with 2 parts: write `(p, q) in lanes` (at character 1: o in lanes)',
    ]);
  });

  it('affects the model digest only through the fields that a solve reads', () => {
    const digests = [
      [products()],
      [products({ file_path: 'others.csv' })],
      [products({ key: ['Unit cost'] })],
      [products({ sheet: 'Prices' })],
      [products({ default: 0 })],
      [products({ columns: { cost: 'Unit cost' } })],
    ].map((cards) => modelDigest(cards));
    expect(new Set(digests).size).toBe(digests.length);
    expect(modelDigest([card('data', { file_path: 'a.csv' })])).toBe(modelDigest([]));
  });
});

it('judges a formula again when the condition of its variable matches different members', () => {
  const plants = (size: number) => [
    card('data', { set: 'plants', members: ['rome'], description: 'Plants', values: { size: { rome: size } } }),
    card('variable', { name: 'open', index: 'o in plants where size[o] > 3', unit: 'plants' }),
    card('constraint', { classification: 'hard', expression: 'open[o] <= 9', index: 'o in plants' }),
  ];
  expect(gapsOf(plants(4), new Map())).toEqual([]);
  expect(gapsOf(plants(2), new Map()).join()).toContain('open has no member "rome"');
  expect(gapsOf(plants(5), new Map())).toEqual([]);
});

describe('a name shared by two columns of a file', () => {
  const facts: FileFacts = {
    columns: [
      { name: 'item', type: 'text' },
      { name: 'Price (kg)', type: 'number' },
      { name: 'Price/kg', type: 'number' },
    ],
  };
  const items = (columns?: Record<string, string>) =>
    card('data', {
      set: 'items',
      file_path: 'i.csv',
      key: ['item'],
      description: 'Items',
      ...(columns && { columns }),
    });
  const sentence =
    'Price_kg may be column "Price (kg)" of i.csv or column "Price/kg" of i.csv: rename one of them in the field `columns` of its data card, as in `items_Price_kg of items: column "Price/kg"`';

  it.each([
    ['make[i] <= Price_kg[i]', 'i in items'],
    ['make[i] <= 3', 'i in items where Price_kg[i] > 3'],
  ])('blocks a formula with a message that names both columns: %s for %s', (expression, index) => {
    const make = card('variable', { name: 'make', index: 'i in items', unit: 'kg' });
    const most = card('constraint', { expression, index, classification: 'hard' });
    const data = items();
    expect(gapsOf([data, make, most], known(facts, data))).toEqual([
      expect.stringMatching(new RegExp(`^blocking (expression|index): ${escaped(sentence)}`)),
    ]);
    for (const name of ['items_Price_kg', 'Price_kg']) {
      const named = items({ [name]: 'Price/kg' });
      expect(gapsOf([named, make, most], known(facts, named))).toEqual([]);
    }
  });
});

describe('an unknown name', () => {
  const demand = card('data', { set: 'demand', file_path: 'demand.csv', key: ['product'], description: 'Demand' });
  const facts: FileFacts = {
    columns: [
      { name: 'product', type: 'text' },
      { name: 'Price (€/kg)', type: 'number' },
      { name: 'Machine hours', type: 'number' },
      { name: 'weight', type: 'number' },
    ],
  };
  const make = card('variable', { name: 'make', index: 'p in demand', unit: 'kg' });

  it.each([
    ['price[p]', 'price. Did you mean Price_kg (column "Price (€/kg)" of demand.csv)?'],
    ['machinehours[p]', 'machinehours. Did you mean Machine_hours (column "Machine hours" of demand.csv)?'],
    ['weigth[p]', 'weigth. Did you mean weight?'],
    ['makes[p]', 'makes. Did you mean make?'],
    ['zebra[p]', 'zebra'],
    [
      'price[p] * weigth[p]',
      'price, weigth. Did you mean Price_kg (column "Price (€/kg)" of demand.csv) for price, weight for weigth?',
    ],
  ])('is reported with the nearest names: %s', (figure, expected) => {
    const most = card('constraint', {
      expression: `make[p] <= ${figure}`,
      index: 'p in demand',
      classification: 'hard',
    });
    expect(gapsOf([demand, make, most], known(facts, demand))).toEqual([
      `warning expression: No variable or value on the canvas is called ${expected}`,
    ]);
  });

  it.each(['Capacity t/month', 'Capacity EUR', 'Capacity (h)', 'Capacity, kg', 'Capacity [pc/week]', 'Capacity in %'])(
    'is reported with the column whose name is the same except for a unit: %s',
    (column) => {
      const plants = card('data', { set: 'plants', file_path: 'plants.csv', key: ['plant'], description: 'Plants' });
      const columns: FileFacts['columns'] = [
        { name: 'plant', type: 'text' },
        { name: column, type: 'number' },
      ];
      const run = card('variable', { name: 'run', index: 'p in plants', unit: 't' });
      const most = card('constraint', {
        expression: 'run[p] <= capacity[p]',
        index: 'p in plants',
        classification: 'hard',
      });
      expect(gapsOf([plants, run, most], known({ columns }, plants))).toEqual([
        expect.stringMatching(/called capacity\. Did you mean Capacity_\w+ \(column "Capacity.*" of plants\.csv\)\?$/),
      ]);
    },
  );

  it.each([
    [
      'demands',
      'demands: did you mean demand? Otherwise define it, as in `demands: a, b, c` (at character 1: p in demands)',
    ],
    ['zebras', 'zebras: define it, as in `zebras: a, b, c` (at character 1: p in zebras)'],
  ])('is reported with the nearest set: %s', (set, expected) => {
    const most = card('constraint', { expression: 'make[p] <= 3', index: `p in ${set}`, classification: 'hard' });
    expect(gapsOf([demand, make, most], known(facts, demand))).toEqual([
      `blocking index: No set is called ${expected}`,
    ]);
  });
});

describe('data availability', () => {
  const demand = card('data', { set: 'demand', file_path: 'demand.csv', key: ['product'], description: 'Demand' });
  const facts: FileFacts = {
    columns: [
      { name: 'product', type: 'text' },
      { name: 'amount', type: 'text', misfit: { row: 3, column: 'amount', text: 'many' } },
      { name: 'cost', type: 'text', misfit: { row: 5, column: 'cost', text: 'n/a' } },
      { name: 'region', type: 'text' },
      { name: 'price', type: 'number' },
    ],
  };
  const make = (more: object = {}) => card('variable', { name: 'make', index: 'p in demand', unit: 'kg', ...more });
  const most = (expression: string, index = 'p in demand') =>
    card('constraint', { expression, index, classification: 'hard' });
  const isAvailable = (...cards: CardContent[]): boolean =>
    judgeAndDerive([demand, ...cards], known(facts, demand)).derived.data_available;

  it.each<[string, CardContent[]]>([
    ['in a constraint', [make(), most('make[p] <= amount[p]')]],
    ['in a sum', [make(), most('sum p in demand: amount[p] * make[p] <= 3', 'q in demand')]],
    ['in a bound', [make({ upper: 'amount[p]' })]],
    ['in a condition', [make(), most('make[p] <= 3', 'p in demand where amount[p] > 3')]],
    ['in a KPI', [card('kpi', { description: 'K', expression: 'sum p in demand: cost[p]' })]],
    [
      'in an objective',
      [make(), card('objective', { sense: 'minimize', expression: 'sum p in demand: cost[p] * make[p]' })],
    ],
    ['in a limit', [make(), most('make[p] <= region[p]')]],
  ])('is false if text is used in a calculation: %s', (_, cards) => {
    expect(isAvailable(...cards)).toBe(false);
  });

  it.each<[string, CardContent[]]>([
    ['no formula', [make()]],
    ['formulas with numbers only', [make(), most('make[p] <= price[p]')]],
    [
      'text that is only compared',
      [make(), most('make[p] <= 3', 'p in demand where region[p] = "north" or amount[p] = "3"')],
    ],
  ])('is true for %s', (_, cards) => {
    expect(isAvailable(...cards)).toBe(true);
  });
});

describe('a key or condition that matches nothing', () => {
  const plants = card('data', { set: 'plants', file_path: 'plants.csv', key: ['plant'], description: 'Plants' });
  const lanes = card('data', { set: 'lanes', file_path: 'lanes.csv', key: ['from', 'to'], description: 'Lanes' });
  const ship = card('variable', { name: 'ship', index: '(i, j) in lanes', unit: 'cases' });
  const files = (plant: string): FileStates =>
    new Map([
      ...known(
        {
          columns: [
            { name: 'plant', type: 'text', values: ['seattle', plant] },
            { name: 'capacity', type: 'number', range: [350, 600] },
            { name: 'region', type: 'text', values: ['north', 'south'] },
          ],
        },
        plants,
      ),
      ...known(
        {
          columns: [
            { name: 'from', type: 'text', values: ['seattle', 'San Diego'] },
            { name: 'to', type: 'text', values: ['chicago'] },
          ],
        },
        lanes,
      ),
    ]);
  const supply = card('constraint', {
    expression: 'sum (i, j) in lanes: ship[i, j] <= capacity[i]',
    index: 'i in plants',
    classification: 'hard',
  });
  const cards = [plants, lanes, ship, supply];
  const rows = '"San Diego" (near "san diego") of lanes matches no member of plants, so it is left out';
  const members = '"san diego" (near "San Diego") of plants matches nothing in lanes, so its sum is empty';

  it('causes warnings on the card with the formula, but the card remains complete', () => {
    expect(gapsOf(cards, files('san diego'))).toEqual([
      `warning expression: ${rows}`,
      `warning expression: ${members}`,
    ]);
    const { judgements, derived } = judgeAndDerive(cards, files('san diego'));
    expect(judgements.map(({ status }) => status)).toEqual(['complete', 'complete', 'complete', 'complete']);
    expect(derived.data_available).toBe(true);
  });

  it('stops causing warnings after the file has changed', () => {
    expect(gapsOf(cards, files('san diego'))).toHaveLength(2);
    expect(gapsOf(cards, files('San Diego'))).toEqual([]);
    expect(gapsOf(cards, files('san diego'))).toHaveLength(2);
  });

  it.each<[string, CardContent, string]>([
    [
      'a constraint',
      card('constraint', {
        expression: 'ship[i, j] <= 3',
        index: '(i, j) in lanes where j = "Chicago"',
        classification: 'hard',
      }),
      'warning expression: No member of lanes is "Chicago", so nothing meets this condition: the values are "chicago"',
    ],
    [
      'a variable without bounds',
      card('variable', { name: 'open', index: 'i in plants where region[i] = "nrth"', domain: 'binary' }),
      'warning index: No region is "nrth", so nothing meets this condition: the values are "north", "south"',
    ],
    [
      'a variable with two bounds, but only once',
      card('variable', {
        name: 'open',
        index: 'i in plants where region[i] = "nrth"',
        unit: 'm',
        lower: '1 * 1',
        upper: '2 * 2',
      }),
      'warning lower: No region is "nrth", so nothing meets this condition: the values are "north", "south"',
    ],
    [
      'a KPI',
      card('kpi', { description: 'K', expression: 'sum i in plants where capacity[i] > 600: 1' }),
      'warning expression: No capacity is > 600, so nothing meets this condition: the values range from 350 to 600',
    ],
    [
      'a requirement',
      card('production_requirement', { expression: 'sum (i, j) in lanes where i = "x": ship[i, j] >= 1' }),
      'warning expression: No member of lanes is "x", so nothing meets this condition: the values are "seattle", "San Diego"',
    ],
  ])('causes a warning on %s', (_, formula, gap) => {
    expect(gapsOf([plants, lanes, ship, formula], files('San Diego'))).toEqual([gap]);
  });

  it('causes a warning even if the values are on a data card instead of in a file', () => {
    const goods = card('data', { set: 'goods', members: ['a', 'b'], values: { kind: { a: 'wood', b: 'iron' } } });
    const make = card('variable', { name: 'make', index: 'g in goods', unit: 'm' });
    const most = card('constraint', {
      expression: 'sum g in goods where kind[g] = "wod": make[g] <= 3',
      classification: 'hard',
    });
    expect(gapsOf([goods, make, most], new Map())).toEqual([
      'warning expression: No kind is "wod", so nothing meets this condition: the values are "wood", "iron"',
    ]);
  });
});

describe('withValues', () => {
  const texts = (...cells: string[]): ColumnCells => {
    const distinct = [...new Set(cells)];
    return { type: 'text', texts: distinct, places: Int32Array.from(cells, (cell) => distinct.indexOf(cell)) };
  };
  const columns = [
    { name: 'note', type: 'text' as const },
    { name: 'year', type: 'number' as const },
    { name: 'price', type: 'number' as const },
  ];
  const cells = (note: string): ColumnCells[] => [
    texts(note, note),
    { type: 'number', figures: Float64Array.of(2025, 2026, 2025) },
    { type: 'number', figures: Float64Array.of(4, NaN, -1) },
  ];

  it('keeps the distinct strings of key and text columns, and the range of numbers', () => {
    expect(withValues(columns, cells('a'), ['year'])).toEqual([
      { name: 'note', type: 'text', values: ['a'], cells: [0, 0] },
      { name: 'year', type: 'number', values: ['2025', '2026'], range: [2025, 2026], cells: [2025, 2026, 2025] },
      { name: 'price', type: 'number', range: [-1, 4], empty: ['2026'], cells: [4, null, -1] },
    ]);
  });

  it('does not list the members without a value if the key column is unknown', () => {
    expect(JSON.stringify(withValues(columns, cells('a'), ['week']))).not.toContain('empty');
    expect(JSON.stringify(withValues(columns, cells('a'), []))).not.toContain('empty');
  });

  it('keeps the values of the key even if the size limit is reached', () => {
    const long = 'x'.repeat(3 * 1024 ** 2);
    expect(withValues(columns, cells(long), ['year']).map(({ values }) => values)).toEqual([
      undefined,
      ['2025', '2026'],
      undefined,
    ]);
  });
});

it.each<[string[], [string, string][]]>([
  [
    ['price', 'größe', 'x1'],
    [
      ['price', 'price'],
      ['größe', 'größe'],
      ['x1', 'x1'],
    ],
  ],
  [
    ['Unit cost', 'cost (EUR)', '2026', '%', ''],
    [
      ['Unit_cost', 'Unit cost'],
      ['cost_EUR', 'cost (EUR)'],
      ['_2026', '2026'],
    ],
  ],
  [
    ['Price (kg)', 'Price/kg'],
    [
      ['Price_kg', 'Price (kg)'],
      ['Price_kg', 'Price/kg'],
    ],
  ],
  [['Price (kg)', 'Price_kg'], [['Price_kg', 'Price_kg']]],
  [
    ['Area m²', 'x²'],
    [
      ['Area_m2', 'Area m²'],
      ['x2', 'x²'],
    ],
  ],
  [['given', 'cost', 'id'], [['cost', 'given']]],
])('derives names for formulas from the columns %j', (columns, names) => {
  const given: Record<string, string> = columns.includes('given') ? { cost: 'given' } : {};
  expect(columnNames({ names: given, key: ['id'] }, columns)).toEqual(names);
});

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
