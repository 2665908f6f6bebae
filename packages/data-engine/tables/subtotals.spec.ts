import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConvertedTables } from '../../../test/support/converted-tables.js';
import type { SheetCell } from '../../../test/support/workbook-file.js';
import type { DialectOptions } from '../tasks.js';

let tables: ConvertedTables;
beforeAll(async () => {
  tables = await ConvertedTables.open();
});
afterAll(async () => await tables.close());

type Content = string | (SheetCell[] | undefined)[];

const csv = (...rows: string[]): string => `${rows.join('\n')}\n`;
const read = async (content: Content, dialect: DialectOptions = {}) => {
  const table = await tables.read(content, { dialect });
  return {
    rows: table.cells,
    leftOut: table.leftOut.map(({ place, kind, first, last }) => `${place} ${kind} ${first}-${last}`),
    subtotals: table.dialect!.subtotals,
    uncertain: table.dialect!.uncertain,
  };
};

const GOODS = [
  ['oak', 10],
  ['pine', 20],
  ['elm', 5],
  ['ash', 6],
];
const INSIDE_AND_BELOW = ['inside total 4-4', 'below total 7-7'];

describe('rows that are the sums of the rows above them', () => {
  it.each<[string, Content, unknown[][], string[]]>([
    [
      'subtotals of groups and a total',
      csv('p,n', 'oak,10', 'pine,20', 'Subtotal North,30', 'elm,5', 'ash,6', 'Subtotal South,11', 'Total,41'),
      GOODS,
      ['inside total 4-4', 'below total 7-8'],
    ],
    [
      'the same label in German',
      csv('p;n', 'oak;10', 'pine;20', 'Zwischensumme;30', 'elm;5', 'ash;6', 'Zwischensumme;11', 'Gesamtsumme;41'),
      GOODS,
      ['inside total 4-4', 'below total 7-8'],
    ],
    [
      'the same label in Japanese',
      csv('p,n', 'oak,10', 'pine,20', '小計,30', 'elm,5', 'ash,6', '小計,11', '合計,41'),
      GOODS,
      ['inside total 4-4', 'below total 7-8'],
    ],
    [
      'totals per year',
      csv('p,n', 'oak,10', 'pine,20', 'Total 2023,30', 'elm,5', 'ash,6', 'Total 2024,11'),
      GOODS,
      INSIDE_AND_BELOW,
    ],
    [
      'labels with asterisks',
      csv('p,n', 'oak,10', 'pine,20', '** Subtotal **,30', 'elm,5', 'ash,6', '** Total **,41'),
      GOODS,
      INSIDE_AND_BELOW,
    ],
    [
      'a summation sign',
      csv('p,n', 'oak,10', 'pine,20', 'Σ N,30', 'elm,5', 'ash,6', 'Σ S,11'),
      GOODS,
      INSIDE_AND_BELOW,
    ],
    [
      'a single subtotal',
      csv('p,n', 'oak,10', 'pine,20', 'SUBTOTAL:,30', 'elm,5', 'ash,6'),
      GOODS,
      ['inside total 4-4'],
    ],
    [
      'a subtotal and an average',
      csv('p,n', 'oak,10', 'pine,20', 'Sous-total,30', 'Moyenne,15', 'elm,5', 'ash,6', 'Sous-total,11'),
      GOODS,
      ['inside total 4-5', 'below total 8-8'],
    ],
    [
      'a total labelled with the name of its group',
      csv('g,p,n', 'N,oak,10', 'N,pine,20', 'N Total,,30', 'S,elm,5', 'S,ash,6'),
      [
        ['N', 'oak', 10],
        ['N', 'pine', 20],
        ['S', 'elm', 5],
        ['S', 'ash', 6],
      ],
      ['inside total 4-4'],
    ],
    [
      'totals of nested groups',
      csv(
        'g,n',
        'a,1',
        'b,2',
        'Total A,3',
        'c,4',
        'd,5',
        'Total B,9',
        'Total North,12',
        'e,6',
        'Total C,6',
        'Total,18',
      ),
      [
        ['a', 1],
        ['b', 2],
        ['c', 4],
        ['d', 5],
        ['e', 6],
      ],
      ['inside total 4-4', 'inside total 7-8', 'below total 10-11'],
    ],
    [
      'a label in a later column',
      csv('g,s,n', 'DE,m,10', 'DE,f,12', 'DE,Total,22', 'FR,m,7', 'FR,f,9', 'FR,Total,16'),
      [
        ['DE', 'm', 10],
        ['DE', 'f', 12],
        ['FR', 'm', 7],
        ['FR', 'f', 9],
      ],
      INSIDE_AND_BELOW,
    ],
    [
      'weeks as keys, and decimal commas',
      csv('week;n', '1;10,5', '2;20', 'Summe;30,5', '3;5', '4;6', 'Summe;11', 'Gesamt;41,5'),
      [
        [1, 10.5],
        [2, 20],
        [3, 5],
        [4, 6],
      ],
      ['inside total 4-4', 'below total 7-8'],
    ],
    [
      'a note below the table',
      csv('p,n', 'oak,10', 'pine,20', 'Subtotal,30', 'elm,5', 'ash,6', 'Subtotal,11', '', 'Source: plant'),
      GOODS,
      ['inside total 4-4', 'below total 7-7', 'below note 9-9'],
    ],
    [
      'a sheet',
      [['p', 'n'], ['oak', 10], ['pine', 20], ['Subtotal North', 30], undefined, ['elm', 5], ['ash', 6], ['Total', 41]],
      GOODS,
      ['inside total 4-4', 'below total 8-8'],
    ],
    [
      'a sheet without a header',
      [
        ['oak', 10],
        ['pine', 20],
        ['Subtotal', 30],
        ['elm', 5],
        ['ash', 6],
        ['Subtotal', 11],
      ],
      GOODS,
      ['inside total 3-3', 'below total 6-6'],
    ],
  ])('are left out and reported: %s', async (_, content, rows, leftOut) => {
    expect(await read(content)).toMatchObject({ rows, leftOut, subtotals: 'drop' });
  });

  it('are all left out of a long table, but the report has a limited number of entries', async () => {
    const groups = Array.from({ length: 300 }, (_, group) => [
      ...Array.from({ length: 20 }, (__, item) => `item ${item},${group * item}.25`),
      `Total ${group},${group * 190 + 5}`,
    ]);
    const table = await tables.read(csv('item,n', ...groups.flat()));
    expect(table.rows).toBe(6000);
    expect(table.leftOut.length).toBeLessThan(110);
    expect(table.leftOut.at(-1)?.last).toBe(6301);
    expect(table.rowNumbers.at(-1)).toEqual({ index: 5980, row: 6281 });
  });
});

const PAIR = [
  ['N', 10],
  ['S', 20],
];

describe('sum rows without a label', () => {
  it.each<[string, Content, unknown[][], string[]]>([
    ['the last row', csv('p,n', 'N,10', 'S,20', ',30'), PAIR, ['below total 4-4']],
    [
      'a last row of decimals',
      csv('p;n', 'N;10,5', 'S;20,25', ';30,75'),
      [
        ['N', 10.5],
        ['S', 20.25],
      ],
      ['below total 4-4'],
    ],
    ['the first row', csv('p,n', ',30', 'N,10', 'S,20'), PAIR, ['inside total 2-2']],
    [
      'a row after each group',
      csv('p,n', 'oak,10', 'pine,20', ',30', 'elm,5', 'ash,6', ',11'),
      GOODS,
      INSIDE_AND_BELOW,
    ],
    [
      'a table of keys',
      csv('week,n', '1,10', '2,20', ',30'),
      [
        [1, 10],
        [2, 20],
      ],
      ['below total 4-4'],
    ],
    [
      'a sheet with an empty row above the sum',
      [['p', 'q', 'n'], ['N', 'a', 10], ['S', 'b', 20], undefined, [null, null, 30]],
      [
        ['N', 'a', 10],
        ['S', 'b', 20],
      ],
      ['below total 5-5'],
    ],
  ])('are left out and reported: %s', async (_, content, rows, leftOut) => {
    expect(await read(content)).toMatchObject({ rows, leftOut, subtotals: 'drop', uncertain: [] });
  });

  it.each<[string, Content]>([
    ['that are not sums', csv('p,n', 'N,10', 'S,20', ',31')],
    ['that repeat a single number', csv('p,n', 'N,10', ',10')],
    ['whose empty label is in a later column', csv('n,p', '1,x', '2,y', '3,')],
  ])('are not detected among rows %s', async (_, content) => {
    expect(await read(content)).toMatchObject({ leftOut: [], subtotals: null });
  });
});

describe('sum rows whose label does not name a total', () => {
  const MONTHS = ['Jan,10', 'Feb,20', 'Mar,30', 'Q1,60', 'Apr,5', 'May,6', 'Jun,7', 'Q2,18'];
  it.each<[string, Content]>([
    ['without a known word', csv('p,n', 'N,10', 'S,20', 'All,30')],
    ['in another language', csv('p;n', 'N;10', 'S;20', 'รวม;30')],
    ['below dissimilar numbers', csv('p,n', 'North,120', 'South,80', 'Alles,200')],
    ['below three rows', csv('p,n', 'ไม้,10', 'เหล็ก,20', 'ทราย,30', 'รวม,60')],
    ['in several columns', csv('p,n,m', 'North,10,7', 'South,20,9', 'Both,30,16')],
    ['next to an average', csv('p,n,m', 'N,10,5.5', 'S,25,7', 'W,33,8', 'Everything,68,7.1')],
    ['with an empty cell next to it', csv('p,q,n', 'North,a,10', 'South,b,20', 'Both,,30')],
    ['above their rows', csv('p,n', 'All regions,30', 'N,10', 'S,20')],
    ['above each group', csv('p,n', 'DE,30', 'Berlin,12', 'Bonn,18', 'FR,70', 'Paris,33', 'Lyon,37')],
    ['below each group', csv('m,n', ...MONTHS)],
    ['below numbers that look like sums', csv('p,n', 'oak,14', 'pine,23', 'elm,37', 'ash,20', 'all,94')],
    [
      'in a sheet',
      [
        ['p', 'n'],
        ['N', 10],
        ['S', 20],
        ['All', 30],
      ],
    ],
  ])('are kept and reported: %s', async (_, content) => {
    const table = await read(content);
    expect(table).toMatchObject({ leftOut: [], subtotals: 'keep' });
    expect(table.uncertain).toContain('subtotals');
  });

  it.each<[DialectOptions, number, string[]]>([
    [{ subtotals: 'keep' }, 8, []],
    [{ subtotals: 'drop' }, 6, ['inside total 5-5', 'below total 9-9']],
    [{ subtotals: 'drop', last_row: 9 }, 7, ['inside total 5-5']],
  ])('are kept or left out as the caller requests: %j', async (dialect, rows, leftOut) => {
    const table = await read(csv('m,n', ...MONTHS), dialect);
    expect(table.rows).toHaveLength(rows);
    expect(table.leftOut).toEqual(leftOut);
    expect(table.uncertain).not.toContain('subtotals');
  });

  it.each([
    ['consecutive numbers', csv('p,n', 'small box,1', 'large box,2', 'bag,3')],
    ['multiples of ten', csv('p,n', 'oak,10', 'pine,20', 'elm,30')],
    ['keys and multiples', csv('id,n', '1,10', '2,20', '3,30')],
    ['percentages', csv('p,n', 'oak,50', 'pine,30', 'elm,20')],
    ['ones', csv('p,n', 'oak,1', 'pine,1', 'elm,2')],
    [
      'a long column of small numbers',
      csv('p,n', ...Array.from({ length: 500 }, (_, row) => `p${row},${(row * 7) % 5}`)),
    ],
    ['powers of two', csv('p,n', 'a,1', 'b,2', 'c,4', 'd,8')],
    ['a large table', csv('p,n', ...Array.from({ length: 60_000 }, () => 'x,1'), 'All,60000')],
  ])('are not detected in %s', async (_, content) => {
    expect(await read(content)).toMatchObject({
      leftOut: [],
      subtotals: null,
    });
  });
});

describe('rows that are labelled as totals but are not sums', () => {
  it.each<[string, Content, number]>([
    ['a brand', csv('brand,litres', 'Shell,10', 'Total,20', 'Esso,30'), 3],
    ['a brand with the sum of two others', csv('brand,litres', 'Shell,10', 'Esso,20', 'Total,30', 'BP,7'), 4],
    ['a task with the sum of two others', csv('task,hours', 'Sum up,3', 'Plan,2', 'Total rewrite,5'), 3],
    ['a subtotal that is not a sum', csv('p,n', 'oak,10', 'pine,20', 'Subtotal,31', 'elm,5'), 4],
    [
      'a total above its rows',
      csv('p,n', 'Total North,30', 'oak,10', 'pine,20', 'Total South,11', 'elm,5', 'ash,6'),
      6,
    ],
    ['a constant number', csv('brand,price', 'Shell,7', 'Total,7', 'Esso,7', 'Total,7', 'BP,7'), 5],
    [
      'a sheet',
      [
        ['p', 'n'],
        ['oak', 10],
        ['pine', 20],
        ['Subtotal', 31],
        ['elm', 5],
      ],
      4,
    ],
  ])('are kept and reported: %s', async (_, content, rows) => {
    const table = await read(content);
    expect(table.rows).toHaveLength(rows);
    expect(table.leftOut).toEqual([]);
    expect(table).toMatchObject({ subtotals: 'keep', uncertain: expect.arrayContaining(['subtotals']) });
  });

  it.each([
    ['labels that only begin like a total', csv('p,n', 'Totalizer,1', 'Summer,2', 'Subtotalled,3')],
    ['rows without numbers', csv('p,n', 'oak,10', 'Total,', 'pine,20')],
    ['remarks after the numbers', csv('p,n,remark', 'oak,10,x', 'pine,20,total', 'elm,5,y')],
  ])('are not detected in %s', async (_, content) => {
    expect(await read(content)).toMatchObject({ leftOut: [], subtotals: null });
  });
});

describe('the subtotals option from the caller', () => {
  const proven = csv('p,n', 'oak,10', 'pine,20', 'Subtotal,30', 'elm,5');
  const other = csv('p,n', 'oak,10', 'pine,20', 'Subtotal,31', 'elm,5');
  it.each<[string, Content, DialectOptions, number, string[]]>([
    ['keeps sums', proven, { subtotals: 'keep' }, 4, []],
    [
      'keeps subtotals above a total of the items',
      csv('p,n', 'oak,10', 'pine,20', 'Subtotal,30', 'elm,5', 'ash,6', 'Subtotal,11', 'Total,41'),
      { subtotals: 'keep' },
      6,
      ['below total 8-8'],
    ],
    [
      'keeps subtotals above a total of the items in a sheet',
      [
        ['p', 'n'],
        ['oak', 10],
        ['pine', 20],
        ['Sum of wood', 30],
        ['nails', 5],
        ['Total', 35],
      ],
      { subtotals: 'keep' },
      4,
      ['below total 6-6'],
    ],
    ['drops rows that are not sums', other, { subtotals: 'drop' }, 3, ['inside total 4-4']],
    [
      'keeps the last row that the caller specifies',
      csv('p,n', 'a,1', 'b,2', 'Total A,3', 'c,4', 'd,5', 'Total B,9'),
      { last_row: 7 },
      5,
      ['inside total 4-4'],
    ],
    [
      'keeps sums in a sheet',
      [
        ['p', 'n'],
        ['oak', 10],
        ['pine', 20],
        ['Subtotal', 30],
      ],
      { subtotals: 'keep', last_row: 4 },
      3,
      [],
    ],
  ])('overrides the detection: %s', async (_, content, dialect, rows, leftOut) => {
    const table = await read(content, dialect);
    expect(table.rows).toHaveLength(rows);
    expect(table.leftOut).toEqual(leftOut);
    for (const field of ['subtotals', 'last_row']) expect(table.uncertain).not.toContain(field);
  });
});
