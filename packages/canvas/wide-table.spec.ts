import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { serialize } from 'node:v8';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Dice } from '../../test/support/dice.js';
import type { ColumnCells, TableColumn } from '../data-engine/index.js';
import type { CardContent } from './card.js';
import { withValues } from './column-values.js';
import { readData } from './data-content.js';
import { type FactsOfColumn, type FileFacts, fileKey } from './data-file.js';
import { judge } from './derivation.js';
import type { ModelCard, SetTable } from './model/model-card.js';
import { readCanvas } from './model/canvas-reader.js';
import {
  doubledHeader,
  factsWithCells,
  factsWithoutCells,
  HEADERS,
  readingOfHeaders,
  wideColumns,
} from './wide-table.js';

const figures = (...cells: (number | null)[]): ColumnCells => ({
  type: 'number',
  figures: Float64Array.from(cells, (cell) => cell ?? NaN),
});
function texts(...cells: (string | null)[]): ColumnCells {
  const distinct = [...new Set(cells.filter((cell) => cell !== null))];
  return {
    type: 'text',
    texts: distinct,
    places: Int32Array.from(cells, (cell) => (cell === null ? -1 : distinct.indexOf(cell))),
  };
}

const card = (card_type: CardContent['card_type'], label: string, data: object): ModelCard => ({
  id: label,
  card_type,
  label,
  data: data as ModelCard['data'],
});

/** Wide table: cells by row, with the key parts first. */
interface Sheet {
  key: string[];
  headers: string[];
  rows: { key: string[]; cells: (number | string | null)[] }[];
}

const columnOf = (cells: (number | string | null)[]): ColumnCells =>
  cells.some((cell) => typeof cell === 'string')
    ? texts(...cells.map((cell) => (cell === null ? null : String(cell))))
    : figures(...cells.map((cell) => (cell === null ? null : Number(cell))));

const cellsOf = ({ key, headers, rows }: Sheet): ColumnCells[] => [
  ...key.map((_, part) => texts(...rows.map((row) => row.key[part]!))),
  ...headers.map((_, at) => columnOf(rows.map(({ cells }) => cells[at]!))),
];

/** @param isRead whether the metadata contains values */
function factsOf(sheet: Sheet, isRead = true): FileFacts {
  const cells = cellsOf(sheet);
  const columns = [...sheet.key, ...sheet.headers].map((name, at): TableColumn => {
    const column = cells[at]!;
    const isEmpty =
      column.type === 'text' ? column.texts.length === 0 : column.figures.every((one) => Number.isNaN(one));
    return { name, type: column.type, nulls: isEmpty ? sheet.rows.length : 0, distinct: 1 };
  });
  const { columns: wide } = wideColumns(columns, sheet.key, sheet.rows.length);
  const keys = sheet.key.map((name): FactsOfColumn => ({ name, type: 'text' }));
  const doubled = doubledHeader(wide);
  return {
    ...(isRead
      ? factsWithCells(keys, wide, cells, { rows: sheet.rows.length, rowInFile: (row) => row + 2 })
      : { columns: factsWithoutCells(keys, wide) }),
    headers: wide.map(({ header }) => header),
    ...(doubled !== undefined && { doubledHeader: doubled }),
  };
}

let folder: string;
let written = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'wide-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function tableOf(names: string[], cells: ColumnCells[], more: Partial<Extract<SetTable, { file: string }>>): SetTable {
  const file = join(folder, String((written += 1)));
  writeFileSync(file, serialize(cells));
  return { file, names, columns: new Map(), rowNumbers: [{ index: 0, row: 2 }], ...more };
}

function wideTable(sheet: Sheet): SetTable {
  const { key, headers } = sheet;
  const reading = readingOfHeaders(headers);
  const readings = new Map(reading === undefined ? [] : [[HEADERS, reading]]);
  return tableOf([...key, ...headers], cellsOf(sheet), { headers, readings });
}

/** Returns the rows of the long form of a table. */
const longRows = ({ headers, rows }: Sheet) =>
  rows.flatMap(({ key, cells }) =>
    headers.flatMap((header, at) => (cells[at] === null ? [] : [{ key: [...key, header], cell: cells[at]! }])),
  );

function longCells(sheet: Sheet): ColumnCells[] {
  const rows = longRows(sheet);
  return [
    ...[...sheet.key, ''].map((_, part) => texts(...rows.map(({ key }) => key[part]!))),
    columnOf(rows.map(({ cell }) => cell)),
  ];
}

const CARDS = [
  card('variable', 'ship', { name: 'ship', index: 'p in plants, c in customers', upper: 100 }),
  card('variable', 'flow', { name: 'flow', index: '(p, c) in cost', upper: 'cost[p, c]' }),
  card('objective', 'Cost', {
    sense: 'minimize',
    expression: 'sum (p, c) in cost: cost[p, c] * ship[p, c] + sum (p, c) in cost: flow[p, c]',
  }),
  card('constraint', 'Supply', {
    expression: 'sum c in customers: cost[p, c] * ship[p, c] <= 9',
    index: 'p in plants',
    classification: 'hard',
  }),
  card('constraint', 'Near', {
    expression: 'ship[p, c] >= 1',
    index: '(p, c) in cost where cost[p, c] < 5',
    classification: 'hard',
  }),
];

describe('a wide table', () => {
  it('produces the same model and gaps as a long table with the same data', () => {
    const dice = new Dice(7);
    for (let round = 0; round < 300; round += 1) {
      const plants = Array.from({ length: 1 + dice.below(5) }, (_, at) => `plant ${at}`);
      const headers = Array.from({ length: 1 + dice.below(5) }, (_, at) =>
        dice.one([`${2024 + at}`, `Q${at}`, `customer ${at}`]),
      );
      const share = dice.one([0, 0.2, 0.6]);
      const cell = () => (dice.next() < share ? null : dice.below(13) - 3);
      const sheet = {
        key: ['plant'],
        headers,
        rows: plants.map((plant) => ({ key: [plant], cells: headers.map(cell) })),
      };
      const more = dice.one([{ default: 2 }, {}]);
      const plantSet = card('data', 'Plants', { set: 'plants', members: plants });
      const customerSet = card('data', 'Customers', { set: 'customers', members: headers });
      const wide = card('data', 'Wide', {
        set: 'cost',
        file_path: 'a.csv',
        key: ['plant'],
        columns_as: 'customers',
        ...more,
      });
      const long = card('data', 'Wide', { set: 'cost', file_path: 'a.csv', key: ['plant', 'customers'], ...more });
      const rows = longCells(sheet);
      const keyNames = ['plant', 'customers'];
      const longFacts: FileFacts = {
        columns: withValues(
          [...keyNames.map((name): FactsOfColumn => ({ name, type: 'text' })), { name: 'cost', type: 'number' }],
          rows,
          keyNames,
        ),
        rows: longRows(sheet).length,
      };
      const longTable = tableOf([...keyNames, 'cost'], rows, { columns: new Map([['cost', 'cost']]) });

      const ofWide = modelOf([plantSet, wide, ...CARDS], wideTable(sheet));
      expect(isDeepStrictEqual(ofWide, modelOf([plantSet, customerSet, long, ...CARDS], longTable))).toBe(true);
      expect(isDeepStrictEqual(ofWide, modelOf([plantSet, customerSet, wide, ...CARDS], wideTable(sheet)))).toBe(true);
      if (longFacts.rows! > 0)
        expect(gapsOf([plantSet, wide, ...CARDS], factsOf(sheet))).toEqual(
          gapsOf([plantSet, customerSet, long, ...CARDS], longFacts),
        );
    }
  });
});

const SHEET: Sheet = {
  key: ['plant'],
  headers: ['Berlin', 'Paris', 'Rome'],
  rows: [
    { key: ['north'], cells: [3, null, 4] },
    { key: ['south'], cells: [null, 7, 1] },
  ],
};
const DISTANCE = { set: 'distance', file_path: 'km.csv', key: ['plant'], columns_as: 'customers' };
const distance = (more: object = {}) => card('data', 'Distance', { ...DISTANCE, ...more });
const ship = card('variable', 'ship', { name: 'ship', index: '(p, c) in distance', upper: 'distance[p, c]' });
const withCell = (row: number, column: number, cell: number | string | null): Sheet => ({
  ...SHEET,
  rows: SHEET.rows.map((one, at) => (at === row ? { ...one, cells: one.cells.with(column, cell) } : one)),
});

describe('a data card of a wide table', () => {
  it('defines the row-column pairs, their values, and the set that the columns form', () => {
    const cards = [
      distance(),
      ship,
      card('constraint', 'Total', {
        expression: 'sum (p, c) in distance where p = "north": ship[p, c] <= 9',
        index: 'c in customers',
        classification: 'hard',
      }),
      card('constraint', 'Far', {
        expression: 'distance["north", "Rome"] * ship["north", "Rome"] <= 3',
        classification: 'hard',
      }),
    ];
    expect(gapsOf(cards, factsOf(SHEET))).toEqual([]);
    expect(
      gapsOf(
        cards.with(
          3,
          card('constraint', 'Far', {
            expression: 'ship["north", "Paris"] <= distance["north", "Paris"]',
            classification: 'hard',
          }),
        ),
        factsOf(SHEET),
      ),
    ).toEqual([
      'Far blocking expression: ship has no member "north", "Paris". distance has no value for "north", "Paris", which is not a member of distance: add the missing rows, or give the data card of distance a `default`',
    ]);
  });

  it.each<[string, ModelCard[], Sheet, string[]]>([
    [
      'a column is not a member of its set',
      [distance(), card('data', 'Customers', { set: 'customers', members: ['Berlin', 'Pariss', 'Rome'] })],
      SHEET,
      [
        'Distance warning columns_as: "Paris" (near "Pariss") in the header of km.csv matches no member of customers',
        'Distance warning columns_as: "Pariss" (near "Paris") of customers has no column in km.csv',
      ],
    ],
    [
      'a header appears twice',
      [distance()],
      { ...SHEET, headers: ['Berlin', 'Paris', 'Berlin'] },
      ['Distance blocking columns_as: km.csv, columns 2 and 4: the member Berlin appears twice'],
    ],
    [
      'there are only key columns',
      [distance()],
      { ...SHEET, headers: [] },
      ['Distance blocking columns_as: km.csv has only key columns, so customers has no members'],
    ],
    [
      'no cell is filled',
      [distance()],
      { ...SHEET, headers: ['Berlin'], rows: [{ key: ['north'], cells: [null] }] },
      ['Distance blocking file_path: km.csv has no filled cells, so distance has no members'],
    ],
    [
      'a cell is not a number',
      [distance(), ship],
      withCell(1, 1, 'n/a'),
      ['ship blocking upper: km.csv, row 3, column Paris: "n/a" is not a number (at character 1: distance[p, c])'],
    ],
    [
      'all cells contain text',
      [distance(), ship],
      { ...SHEET, rows: [{ key: ['north'], cells: ['near', 'far', null] }] },
      [
        'ship blocking upper: distance contains texts, so you cannot calculate with it: compare it in a condition, as in `where distance[...] = "..."` (at character 1: distance[p, c])',
      ],
    ],

    [
      'the set has the name of its columns',
      [distance({ columns_as: 'distance' })],
      SHEET,
      ['Distance blocking columns_as: The set of the columns needs a different name than distance'],
    ],
    [
      'a value has the name of the columns',
      [distance(), card('data', 'Values', { values: { customers: 3 } })],
      SHEET,
      [
        'Distance blocking columns_as: Something else is already called customers',
        'Values blocking values: Something else is already called customers',
      ],
    ],
    [
      'the members of the column set are pairs',
      [
        distance({ columns_as: 'lanes' }),
        card('data', 'Lanes', { set: 'lanes', file_path: 'lanes.csv', key: ['a', 'b'] }),
      ],
      SHEET,
      [
        'Distance blocking columns_as: Each member of lanes has 2 parts, but a column has one header',
        'Lanes blocking file_path: lanes.csv has not been read yet',
      ],
    ],
    [
      'the columns are renamed',
      [distance({ columns: { far: 'Rome' } })],
      SHEET,
      [
        'Distance blocking columns: The other columns are the members of customers, so they cannot be renamed: remove `columns`',
      ],
    ],
    [
      'the members are the values of a column',
      [distance({ key: undefined, column: 'plant' })],
      SHEET,
      ['Distance blocking column: With `columns_as`, name the columns that identify a row in `key`'],
    ],
    [
      'the file has no header',
      [distance({ dialect: { header: false } })],
      SHEET,
      ['Distance blocking dialect: The header row contains the members of customers: remove `header`'],
    ],
    [
      'the columns form a set with an invalid name',
      [distance({ columns_as: 'my customers' })],
      SHEET,
      ['Distance blocking columns_as: columns_as must be letters, digits and _ and begin with a letter'],
    ],
    [
      'the set needs a missing cell',
      [distance(), card('variable', 'x', { name: 'x', index: 'c in customers', upper: 'distance["north", c]' })],
      SHEET,
      [
        'x blocking upper: distance has no value for "north", "Paris", which is not a member of distance: add the missing rows, or give the data card of distance a `default`',
      ],
    ],
  ])('has gaps if %s', (_, cards, sheet, gaps) => {
    expect(gapsOf(cards, factsOf(sheet))).toEqual(gaps);
  });
});

describe('the metadata of a wide table', () => {
  const LONG_HEADERS = ['Berlin', 'Paris', 'x'.repeat(2 * 1024 ** 2)];
  const near = card('constraint', 'Near', {
    expression: 'ship[p, c] <= 1',
    index: '(p, c) in distance where c = "Oslo"',
    classification: 'hard',
  });

  it.each<[string, FileFacts, string]>([
    ['of the filled cells', factsOf(SHEET), '"Berlin", "Rome", "Paris"'],
    ['of a table whose cells have not been read', factsOf(SHEET, false), '"Berlin", "Paris", "Rome"'],
    ['that exceed the limit on values', factsOf({ ...SHEET, headers: LONG_HEADERS }), '"Berlin", "Paris", "xxxxx'],
  ])('is sufficient to check a comparison with the headers %s', (_, facts, values) => {
    expect(gapsOf([distance(), ship, near], facts)).toEqual([
      expect.stringContaining(
        `No member of distance is "Oslo", so nothing meets this condition: the values are ${values}`,
      ),
    ]);
  });

  it('contains the headers of the filled cells up to the value limit', () => {
    const valuesOf = (sheet: Sheet) => factsOf(sheet).columns.find(({ name }) => name === HEADERS)?.values;
    expect(valuesOf(SHEET)).toEqual(['Berlin', 'Rome', 'Paris']);
    expect(valuesOf({ ...SHEET, headers: LONG_HEADERS })).toBeUndefined();
  });
});

describe('the model of a wide table', () => {
  const late = card('constraint', 'Late', {
    expression: 'ship[p, c] <= 1',
    index: '(p, c) in distance where c >= "01.02.2025"',
    classification: 'hard',
  });
  const goal = card('objective', 'Goal', {
    sense: 'minimize',
    expression: 'sum (p, c) in distance: distance[p, c] * ship[p, c]',
  });
  const read = (cards: ModelCard[], sheet: Sheet) => readCanvas(cards, new Map([['Distance', wideTable(sheet)]]));

  it('names its keys after the key column and the set that the other columns form', () => {
    const model = read([distance(), ship, goal], SHEET);
    expect(model.families.variables).toMatchObject([{ keys: ['plant', 'customers'], size: 4 }]);
    expect(model.variables.map(({ name, upper }) => [name, upper])).toEqual([
      ['ship[north, Berlin]', 3],
      ['ship[north, Rome]', 4],
      ['ship[south, Paris]', 7],
      ['ship[south, Rome]', 1],
    ]);
  });

  it('treats dates in the header as dates', () => {
    const sheet = { ...SHEET, headers: ['2025-01-01', '2025-02-01', '2025-03-01'] };
    const { rows } = read([distance(), ship, goal, late], sheet);
    expect(rows.map(({ name }) => name)).toEqual([
      'Late[north, 2025-03-01]',
      'Late[south, 2025-02-01]',
      'Late[south, 2025-03-01]',
    ]);
    expect(gapsOf([distance(), ship, goal, late], factsOf(sheet))).toEqual([]);
  });

  it('can contain a million pairs', () => {
    const keys = Array.from({ length: 1_000 }, (_, at) => String(at));
    const rows = keys.map((key) => ({ key: [key], cells: keys.map(() => 1) }));
    const x = card('variable', 'x', { name: 'x' });
    const sum = card('objective', 'Goal', {
      sense: 'minimize',
      expression: 'x + sum (p, c) in distance: distance[p, c]',
    });
    expect(read([distance(), x, sum], { key: ['plant'], headers: keys, rows }).constant).toBe(1_000_000);
  });

  it('is rejected with both row numbers of a duplicate key, even if the rows fill different columns', () => {
    const rows = [...SHEET.rows, { key: ['north'], cells: [null, 2, null] }];
    expect(modelOf([distance(), ship, goal], wideTable({ ...SHEET, rows }), 'Distance')).toContain(
      'km.csv, row 4: the member north is already in row 2',
    );
  });
});

function modelOf(cards: ModelCard[], table: SetTable, id = 'Wide'): unknown {
  try {
    return readCanvas(cards, new Map([[id, table]]));
  } catch (error) {
    return String(error);
  }
}

function gapsOf(cards: ModelCard[], facts: FileFacts): string[] {
  const files = new Map(
    cards.flatMap((one) => {
      const { file } = readData(one);
      return file === undefined || file.path === 'lanes.csv' ? [] : [[fileKey(file), facts] as const];
    }),
  );
  return judge(cards, files).flatMap(({ gaps }, at) =>
    gaps.flatMap(({ severity, field, message }) =>
      severity === 'info' ? [] : [`${cards[at]!.label} ${severity} ${field}: ${message}`],
    ),
  );
}
