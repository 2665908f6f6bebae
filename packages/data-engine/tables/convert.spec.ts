import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { type SheetCell, styled, workbookFile } from '../../../test/support/workbook-file.js';
import { type ConvertTask, type Dialect, type TableDescription, type TableFormat, TaskProblem } from '../tasks.js';
import { convert } from './convert.js';

let directory: string;
let database: DuckDBInstance;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'convert-'));
  database = await DuckDBInstance.create(':memory:', { threads: '1' });
});
afterAll(async () => {
  database.closeSync();
  await rm(directory, { recursive: true });
});

let files = 0;
async function described(
  content: string | Uint8Array,
  format: TableFormat = 'csv',
  more: Partial<ConvertTask> = {},
): Promise<TableDescription & { to: string }> {
  const from = join(directory, `${(files += 1)}.${format}`);
  const to = `${from}.parquet`;
  await writeFile(from, content);
  const before = new Set(await readdir(directory));
  try {
    return { ...(await convert({ kind: 'convert', from, format, ignoreErrors: false, to, ...more })), to };
  } catch (error) {
    expect(existsSync(to)).toBe(false);
    throw error;
  } finally {
    const left = (await readdir(directory)).filter((name) => !before.has(name) && !name.endsWith('.parquet'));
    expect(left).toEqual([]);
  }
}

async function rowsOf(parquet: string): Promise<unknown[][]> {
  const connection = await database.connect();
  try {
    return (await connection.runAndReadAll(`FROM read_parquet('${parquet}')`)).getRowsJson();
  } finally {
    connection.closeSync();
  }
}

/** Number of rows from which tests compare tables as JSON strings. */
const MANY = 10_000;

interface Expected {
  /** Entries of the form `name type`. */
  columns: string[];
  rows: unknown[][];
  dialect?: Partial<Dialect>;
  numbers?: [index: number, row: number][];
  skipped?: number;
  sheets?: string[];
  /** Requested sheet. */
  sheet?: string;
}

async function expectTable(table: TableDescription & { to: string }, expected: Expected): Promise<void> {
  const rows = await rowsOf(table.to);
  expect(table.columns.map(({ name, type }) => `${name} ${type}`)).toEqual(expected.columns);
  // Comparing large tables as JSON is immediate. Jest needs ten seconds for the same comparison.
  if (rows.length < MANY || JSON.stringify(rows) !== JSON.stringify(expected.rows)) expect(rows).toEqual(expected.rows);
  expect(table.rows).toBe(expected.rows.length);
  for (const [index, { nulls, distinct }] of table.columns.entries()) {
    const values = rows.map((row) => row[index]);
    expect(nulls).toBe(values.filter((value) => value === null).length);
    expect(distinct).toBe(new Set(values.filter((value) => value !== null)).size);
  }
  if (expected.dialect !== undefined) expect(table.dialect).toMatchObject(expected.dialect);
  if (expected.numbers !== undefined)
    expect(table.rowNumbers.map(({ index, row }) => [index, row])).toEqual(expected.numbers);
  if (expected.sheets !== undefined) expect(table.sheets).toEqual(expected.sheets);
  expect(table.skipped).toBe(expected.skipped ?? 0);
}

const problemOf = async (...args: Parameters<typeof described>): Promise<unknown> => {
  try {
    await described(...args);
  } catch (error) {
    if (error instanceof TaskProblem) return { code: error.code, ...error.place, sentence: error.message };
    throw error;
  }
  return undefined;
};

const utf16le = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');

/** Cases for a single column: `[title, cells, type, values]`. */
const columns: [string, string[], string, unknown[]][] = [
  ['integers', ['1', '-20', '+3', ''], 'integer', ['1', '-20', '3', null]],
  ['decimals', ['1.5', '2', '.5'], 'number', [1.5, 2, 0.5]],
  ['exponents', ['1.5E+03', '2e-3', '1E+05'], 'number', [1500, 0.002, 100000]],
  ['identifiers that look like exponents', ['12e5', '13e7'], 'text', ['12e5', '13e7']],
  ['leading zeros', ['007', '010', '123'], 'text', ['007', '010', '123']],
  ['zero and decimals below one', ['0', '0.5', '-0.25'], 'number', [0, 0.5, -0.25]],
  ['fifteen digits', ['123456789012345', '1'], 'integer', ['123456789012345', '1']],
  ['long identifiers', ['1234567890123456', '1'], 'text', ['1234567890123456', '1']],
  ['decimal commas', ['1,5', '22,75'], 'number', [1.5, 22.75]],
  ['grouping points', ['1.234,5', '12,25'], 'number', [1234.5, 12.25]],
  ['several grouping points', ['1.234.567', '12'], 'integer', ['1234567', '12']],
  ['grouping commas', ['1,234.5', '12'], 'number', [1234.5, 12]],
  ['grouping spaces', ['1 234,5', '12 345 678,25'], 'number', [1234.5, 12345678.25]],
  ['grouping no-break spaces', ['1\u00a0234,5', '1\u202f000'], 'number', [1234.5, 1000]],
  ['grouping apostrophes', ["1'234.5", '12\u2019345'], 'number', [1234.5, 12345]],
  ['a group of the wrong length', ['1,23,456', '1'], 'text', ['1,23,456', '1']],
  ['percentages', ['12 %', '12.5%', '-3%'], 'number', [0.12, 0.125, -0.03]],
  ['percentages with a decimal comma', ['12,5 %', '100%'], 'number', [0.125, 1]],
  ['percentages and plain numbers', ['12%', '12'], 'text', ['12%', '12']],
  ['padded numbers', [' 1', '2 ', '   '], 'integer', ['1', '2', null]],
  ['only spaces', [' ', ''], 'text', [' ', null]],
  ['padded strings', [' a', '  '], 'text', [' a', '  ']],
  ['booleans', ['true', 'FALSE', 'True'], 'boolean', [true, false, true]],
  ['yes and no', ['yes', 'no'], 'text', ['yes', 'no']],
  ['NaN', ['1', 'NaN'], 'text', ['1', 'NaN']],
  ['large exponents', ['1E+300', '-2.5e+308', '1'], 'text', ['1E+300', '-2.5e+308', '1']],
  ['exponents up to the largest number', ['1E+300', '-1,5e+308', '1'], 'number', [1e300, -1.5e308, 1]],
  ['n/a', ['1', 'n/a'], 'text', ['1', 'n/a']],
  ['a hyphen', ['1', '-'], 'text', ['1', '-']],
  ['currencies', ['$1', '2 EUR'], 'text', ['$1', '2 EUR']],
  ['ISO dates', ['2025-03-14', '1999-12-31'], 'date', ['2025-03-14', '1999-12-31']],
  ['dates with dots', ['14.03.2025', '1.4.2025'], 'date', ['2025-03-14', '2025-04-01']],
  ['two-digit years', ['14.03.25', '01.12.99'], 'date', ['2025-03-14', '1999-12-01']],
  [
    'dates with a value that shows that the day is first',
    ['03/04/2025', '14/03/2025'],
    'date',
    ['2025-04-03', '2025-03-14'],
  ],
  [
    'dates with a value that shows that the month is first',
    ['03/04/2025', '03/14/2025'],
    'date',
    ['2025-03-04', '2025-03-14'],
  ],
  ['dates with an ambiguous order', ['03/04/2025', '05/06/2025'], 'date', ['2025-04-03', '2025-06-05']],
  ['dates with contradictory orders', ['14/03/2025', '03/14/2025'], 'text', ['14/03/2025', '03/14/2025']],
  ['dates with month names', ['14-Mar-2025', '1-dec-2024'], 'date', ['2025-03-14', '2024-12-01']],
  ['dates with the year first and slashes', ['2025/03/14', '2025/1/2'], 'date', ['2025-03-14', '2025-01-02']],
  ['a date that does not exist', ['2025-02-29', '2025-01-01'], 'text', ['2025-02-29', '2025-01-01']],
  ['eight digits', ['20250314', '20250315'], 'integer', ['20250314', '20250315']],
  ['version numbers', ['1.2.3', '1.10.0'], 'text', ['1.2.3', '1.10.0']],
  ['times', ['9:30', '23:59:59'], 'time', ['09:30:00', '23:59:59']],
  ['12-hour times', ['9:30 PM', '12:05am'], 'time', ['21:30:00', '00:05:00']],
  ['times beyond 24 hours', ['36:15', '1:00'], 'text', ['36:15', '1:00']],
  [
    'timestamps',
    ['2025-03-14 09:30', '2025-03-14T09:30:15.25', '2025-03-15'],
    'timestamp',
    ['2025-03-14 09:30:00', '2025-03-14 09:30:15.25', '2025-03-15 00:00:00'],
  ],
  [
    'timestamps with zones',
    ['2025-03-14T09:30:00Z', '2025-03-14 09:30:00+02:00'],
    'timestamp',
    ['2025-03-14 09:30:00', '2025-03-14 07:30:00'],
  ],
  [
    'timestamps that partly have zones',
    ['2025-03-14T09:30:00Z', '2025-03-14'],
    'text',
    ['2025-03-14T09:30:00Z', '2025-03-14'],
  ],
  [
    'timestamps with dots',
    ['14.03.2025 9:30', '1.4.2025 09:30:15'],
    'timestamp',
    ['2025-03-14 09:30:00', '2025-04-01 09:30:15'],
  ],
  [
    '12-hour timestamps',
    ['3/14/2025 9:30 PM', '3/4/2025 12:00:00 AM'],
    'timestamp',
    ['2025-03-14 21:30:00', '2025-03-04 00:00:00'],
  ],
  ['only empty cells', ['', ''], 'text', [null, null]],
];

describe('column types', () => {
  it.each(columns)('are detected for %s', async (_, cells, type, values) => {
    const lines = cells.map((cell) => (/["|]/.test(cell) ? `"${cell}"` : cell));
    const table = await described(`name|key\n${lines.map((line) => `${line}|k`).join('\n')}\n`);
    await expectTable(table, { columns: [`name ${type}`, 'key text'], rows: values.map((value) => [value, 'k']) });
  });
});

/** Cases for a whole file: `[title, content, expected]`. */
const texts: [string, string | Uint8Array, Expected][] = [
  [
    'a German file',
    'Produkt;Preis;Menge;Datum\nStuhl;1.234,50;10;14.03.2025\nTisch;99,00;5;01.04.2025\n',
    {
      columns: ['Produkt text', 'Preis number', 'Menge integer', 'Datum date'],
      rows: [
        ['Stuhl', 1234.5, '10', '2025-03-14'],
        ['Tisch', 99, '5', '2025-04-01'],
      ],
      dialect: { delimiter: ';', decimal: ',', thousands: '.', encoding: 'utf-8', header: true },
      numbers: [[0, 2]],
    },
  ],
  [
    'an American file with quotes',
    'product,price,day\r\n"Chair, oak","1,234.50",3/14/2025\r\n"12"" shelf","99.00",4/1/2025\r\n',
    {
      columns: ['product text', 'price number', 'day date'],
      rows: [
        ['Chair, oak', 1234.5, '2025-03-14'],
        ['12" shelf', 99, '2025-04-01'],
      ],
      dialect: { delimiter: ',', quote: '"', decimal: '.', thousands: ',' },
    },
  ],
  [
    'a Swiss file',
    "a;b\n1'234.50;x\n2.75;y",
    {
      columns: ['a number', 'b text'],
      rows: [
        [1234.5, 'x'],
        [2.75, 'y'],
      ],
      dialect: { decimal: '.', thousands: "'" },
    },
  ],
  [
    'bars as delimiters',
    'a|b\n1|x',
    { columns: ['a integer', 'b text'], rows: [['1', 'x']], dialect: { delimiter: '|' } },
  ],
  [
    'an ambiguous point in a file with decimal points',
    'a;b\n1.234;0.5',
    { columns: ['a number', 'b number'], rows: [[1.234, 0.5]] },
  ],
  [
    'an ambiguous point in a file with decimal commas',
    'a;b\n1.234;0,5',
    { columns: ['a integer', 'b number'], rows: [['1234', 0.5]] },
  ],
  ['an ambiguous comma', 'a,b\n"1,234",x', { columns: ['a integer', 'b text'], rows: [['1234', 'x']] }],
  [
    'decimal points next to decimal commas',
    'p;lat\n1,5;52.52\n2,5;1.5',
    {
      columns: ['p number', 'lat number'],
      rows: [
        [1.5, 52.52],
        [2.5, 1.5],
      ],
    },
  ],
  [
    'a byte order mark',
    '\ufeffa,b\n1,2',
    { columns: ['a integer', 'b integer'], rows: [['1', '2']], dialect: { encoding: 'utf-8' } },
  ],
  [
    'UTF-16LE',
    utf16le('näme;x\nÄ;1'),
    { columns: ['näme text', 'x integer'], rows: [['Ä', '1']], dialect: { encoding: 'utf-16le' } },
  ],
  [
    'UTF-16BE',
    utf16le('näme;x\nÄ;1').swap16(),
    { columns: ['näme text', 'x integer'], rows: [['Ä', '1']], dialect: { encoding: 'utf-16be' } },
  ],
  [
    'Windows-1252',
    Buffer.from('name;x\nM\xfcller \x80;1', 'latin1'),
    { columns: ['name text', 'x integer'], rows: [['Müller €', '1']], dialect: { encoding: 'windows-1252' } },
  ],
  [
    'Windows-1252 whose first special character comes late',
    Buffer.concat([
      Buffer.from('name;x\n'),
      Buffer.from('a;1\n'.repeat(300_000)),
      Buffer.from('M\xfcller;1', 'latin1'),
    ]).subarray(0),
    {
      columns: ['name text', 'x integer'],
      rows: [...Array.from({ length: 300_000 }, () => ['a', '1']), ['Müller', '1']],
      dialect: { encoding: 'windows-1252' },
    },
  ],
  [
    'CR line breaks',
    'a,b\r1,2\r3,4\r',
    {
      columns: ['a integer', 'b integer'],
      rows: [
        ['1', '2'],
        ['3', '4'],
      ],
    },
  ],
  [
    'mixed line breaks',
    'a,b\r\n1,2\n3,4\r5,6',
    {
      columns: ['a integer', 'b integer'],
      rows: [
        ['1', '2'],
        ['3', '4'],
        ['5', '6'],
      ],
    },
  ],
  [
    'quoted line breaks',
    'a,b\n"x\ny",1\n"u\r\nv",2\n',
    {
      columns: ['a text', 'b integer'],
      rows: [
        ['x\ny', '1'],
        ['u\r\nv', '2'],
      ],
      numbers: [[0, 2]],
    },
  ],
  [
    'empty lines at the end',
    'a,b\n1,2\n\n\n',
    { columns: ['a integer', 'b integer'], rows: [['1', '2']], numbers: [[0, 2]] },
  ],
  [
    'empty lines at the start and between rows',
    '\na,b\n1,2\n\n3,4\n',
    {
      columns: ['a integer', 'b integer'],
      rows: [
        ['1', '2'],
        ['3', '4'],
      ],
      numbers: [
        [0, 3],
        [1, 5],
      ],
    },
  ],
  [
    'an extra delimiter in each data row',
    'a;b\n1;2;\n3;4;\n',
    {
      columns: ['a integer', 'b integer'],
      rows: [
        ['1', '2'],
        ['3', '4'],
      ],
    },
  ],
  [
    'an extra delimiter in each row',
    'a;b;\n1;2;\n3;4;\n',
    {
      columns: ['a integer', 'b integer'],
      rows: [
        ['1', '2'],
        ['3', '4'],
      ],
    },
  ],
  ['a single column', 'name\nfoo\n\nbar\n', { columns: ['name text'], rows: [['foo'], [null], ['bar']] }],
  ['a single column with commas', 'name\nfoo, x\nbar\n', { columns: ['name text'], rows: [['foo, x'], ['bar']] }],
  ['a header without rows', 'a,b,c\n', { columns: ['a text', 'b text', 'c text'], rows: [], numbers: [] }],
  [
    'no header',
    '1,x\n2,y\n',
    {
      columns: ['column_1 integer', 'column_2 text'],
      rows: [
        ['1', 'x'],
        ['2', 'y'],
      ],
      dialect: { header: false },
      numbers: [[0, 1]],
    },
  ],
  [
    'years as column names',
    'p;2024;2025\nchair;1;2\n',
    { columns: ['p text', '2024 integer', '2025 integer'], rows: [['chair', '1', '2']] },
  ],
  ['only text columns', 'a,b\nx,y\n', { columns: ['a text', 'b text'], rows: [['x', 'y']], dialect: { header: true } }],
  [
    'empty and duplicate column names',
    'price,,Price, price_2 ,price\n1,2,3,4,5\n',
    {
      columns: ['price integer', 'column_2 integer', 'Price_3 integer', 'price_2 integer', 'price_4 integer'],
      rows: [['1', '2', '3', '4', '5']],
    },
  ],
  [
    'a delimiter in an Excel `sep=` line',
    'sep=;\na;b\n1,5;2\n',
    { columns: ['a number', 'b integer'], rows: [[1.5, '2']], numbers: [[0, 3]] },
  ],
  [
    'apostrophes as quotes',
    "'a','b'\n'x,y','1'\n",
    { columns: ['a text', 'b integer'], rows: [['x,y', '1']], dialect: { quote: "'" } },
  ],
  ['spaces after delimiters', 'a, b\n"x, y", "z"\n', { columns: ['a text', 'b text'], rows: [['x, y', 'z']] }],
  ['a quote inside a cell', 'a,b\n5" pipe,1\n', { columns: ['a text', 'b integer'], rows: [['5" pipe', '1']] }],
  ['text after a closing quote', 'a,b\n"x" y,1\n', { columns: ['a text', 'b integer'], rows: [['x y', '1']] }],
  [
    'quotes between a space and text',
    'a;b\n "x" y; "z"\n',
    { columns: ['a text', 'b text'], rows: [[' "x" y', 'z']], dialect: { delimiter: ';' } },
  ],
  [
    'empty quotes',
    'a,b\n"",1\nx,""\n',
    {
      columns: ['a text', 'b integer'],
      rows: [
        [null, '1'],
        ['x', null],
      ],
    },
  ],
  ['a common representation of null', 'a,b\n\\N,1\n\n', { columns: ['a text', 'b integer'], rows: [['\\N', '1']] }],
  [
    'eight digits in a column of dates',
    'Order date,id\n20250314,20250314\n',
    { columns: ['Order date date', 'id integer'], rows: [['2025-03-14', '20250314']] },
  ],
  [
    'a date order that another column determines',
    'a,b\n03/04/2025,12/31/2025\n',
    { columns: ['a date', 'b date'], rows: [['2025-03-04', '2025-12-31']] },
  ],
];

describe('a delimited text file', () => {
  it.each(texts)('is converted correctly: %s', async (_, content, expected) => {
    await expectTable(await described(content), expected);
  });

  it('is split at tabs in TSV', async () => {
    const table = await described('a;b\tc\n1;2\t3\n', 'tsv');
    await expectTable(table, {
      columns: ['a;b text', 'c integer'],
      rows: [['1;2', '3']],
      dialect: { delimiter: '\t' },
    });
  });

  it('is rejected with the position of a ragged row, or read without the row if errors are ignored', async () => {
    const content = 'a,b,c\n1,"x\ny",3\n4,5\n6,7,8,9\n10,11,12\n';
    expect(await problemOf(content)).toMatchObject({ code: 'ragged_row', row: 3, column: 'c' });
    const long = 'a,b\n1,2,3\n';
    expect(await problemOf(long)).toMatchObject({ code: 'ragged_row', row: 2, column: 3 });
    await expectTable(await described(content, 'csv', { ignoreErrors: true }), {
      columns: ['a integer', 'b text', 'c integer'],
      rows: [
        ['1', 'x\ny', '3'],
        ['10', '11', '12'],
      ],
      skipped: 2,
      numbers: [
        [0, 2],
        [1, 5],
      ],
    });
  });

  it.each([
    ['inside a cell', String.raw`"5\" pipe",1` + '\n"oak",2\n'],
    ['at the end of a cell', String.raw`"5\"",1` + '\n"oak",2\n'],
    ['before a delimiter', String.raw`"5\" pipe, long",1` + '\noak,2\n'],
    ['at the end of several cells', String.raw`"5\"",1` + '\n' + String.raw`"6\"",2` + '\n'],
  ])('is rejected if backslashes escape quotes: %s', async (_, rows) => {
    const content = `name,n\n${rows}`;
    expect(await problemOf(content)).toMatchObject({ code: 'unreadable', row: 2, column: 'name' });
    expect((await described(content, 'csv', { ignoreErrors: true })).skipped).toBe(1);
  });

  it('may contain backslashes before closing or doubled quotes', async () => {
    const content = String.raw`"C:\",1` + '\n' + String.raw`"{""a"": ""5\"", x""}",2` + '\n';
    await expectTable(await described(`name,n\n${content}`), {
      columns: ['name text', 'n integer'],
      rows: [
        ['C:\\', '1'],
        [String.raw`{"a": "5\", x"}`, '2'],
      ],
    });
  });

  it.each([
    ['empty', ''],
    ['blank', '\n\n  \n'],
    ['binary', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3])],
    ['with NUL', 'a,b\n1,\0\n'],
    ['invalid UTF-16', Buffer.from([0xff, 0xfe, 0x00, 0xd8, 0x41, 0x00])],
    ['an unclosed quote', 'a,b\n1,"x\n2,y\n'],
    ['a million columns', `${'a,'.repeat(1_000_000)}\n`],
    ['a cell of 3 MB', `a,b\n1,${'x'.repeat(3_000_000)}\n`],
    ['a quoted cell of 3 MB', `a,b\n1,"${'x'.repeat(3_000_000)}"\n`],
  ])('is rejected: %s', async (_, content) => {
    expect(await problemOf(content)).toMatchObject({ code: 'unreadable' });
  });

  it('is converted without changes to its cells, regardless of its delimiter and line breaks', async () => {
    const cell = fc
      .string({ unit: fc.constantFrom(...'ab ,;|\t"\'\n\r0.-äß€😀'), maxLength: 8 })
      .map((text) => `x${text}x`);
    await fc.assert(
      fc.asyncProperty(
        fc
          .integer({ min: 2, max: 5 })
          .chain((width) =>
            fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 8 }),
          ),
        fc.constantFrom(',', ';', '\t', '|'),
        fc.constantFrom('\n', '\r\n'),
        async (rows, delimiter, newline) => {
          const line = (cells: string[]) => cells.map((text) => `"${text.replaceAll('"', '""')}"`).join(delimiter);
          const names = rows[0]!.map((_, index) => `n${index}`);
          const table = await described([names, ...rows].map(line).join(newline));
          expect(table.columns.map(({ name }) => name)).toEqual(names);
          expect(await rowsOf(table.to)).toEqual(rows);
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe('a JSON file', () => {
  const json: [string, string, Expected][] = [
    [
      'a list of objects, with keys in order of appearance',
      '[{"b":1,"a":"x"},{"a":null,"c":[1,{"d":2}]},{"b":2.5}]',
      {
        columns: ['b number', 'a text', 'c json'],
        rows: [
          [1, 'x', null],
          [null, null, '[1,{"d":2}]'],
          [2.5, null, null],
        ],
        numbers: [[0, 1]],
      },
    ],
    ['one object per line', '{"a":1}\n{"a":2}\r\n\n{"a":3}', { columns: ['a integer'], rows: [['1'], ['2'], ['3']] }],
    [
      'large integers',
      '[{"a":9007199254740993,"b":123456789012345678901234567890}]',
      { columns: ['a text', 'b text'], rows: [['9007199254740993', '123456789012345678901234567890']] },
    ],
    ['strings that look like numbers', '[{"a":"1"},{"a":"2"}]', { columns: ['a text'], rows: [['1'], ['2']] }],
    [
      'dates',
      '[{"a":"2025-03-14","b":"2025-03-14T09:30:00Z"}]',
      { columns: ['a date', 'b timestamp'], rows: [['2025-03-14', '2025-03-14 09:30:00']] },
    ],
    [
      'booleans, and columns with different types',
      '[{"a":true,"b":1,"c":"x"},{"a":false,"b":"x","c":[]}]',
      {
        columns: ['a boolean', 'b text', 'c json'],
        rows: [
          [true, '1', '"x"'],
          [false, 'x', '[]'],
        ],
      },
    ],
    ['empty strings', '[{"a":""},{"a":"x"}]', { columns: ['a text'], rows: [[''], ['x']] }],
    ['escape sequences', String.raw`[{"a\nb":"\u00e4\"\\"}]`, { columns: ['a\nb text'], rows: [['ä"\\']] }],
    [
      'keys with special meanings in JavaScript',
      '[{"__proto__":1,"constructor":2}]',
      { columns: ['__proto__ integer', 'constructor integer'], rows: [['1', '2']] },
    ],
  ];

  it.each(json)('is converted correctly: %s', async (_, content, expected) => {
    await expectTable(await described(content, 'json'), expected);
  });

  it('is read without values that are not objects if errors are ignored', async () => {
    const lines = '{"a":1}\n{"a":\n7\n{"a":2}\n';
    expect(await problemOf('[{"a":1},7]', 'json')).toMatchObject({ code: 'unreadable', row: 2 });
    const table = await described('[{"a":1},7,{"a":01},{"a":2}]', 'json', { ignoreErrors: true });
    await expectTable(table, {
      columns: ['a integer'],
      rows: [['1'], ['2']],
      skipped: 2,
      numbers: [
        [0, 1],
        [1, 4],
      ],
    });
    expect(await problemOf(lines, 'json')).toMatchObject({ code: 'unreadable' });
  });

  it.each([
    ['empty', ''],
    ['an empty list', '[]'],
    ['plain text', 'hello'],
    ['scalars', '[1,2]'],
    ['truncated', '[{"a":1},{"a"'],
    ['not closed', '[{"a":1}'],
    ['followed by text', '[{"a":1}] x'],
    ['deeply nested', `[{"a":${'['.repeat(200)}${']'.repeat(200)}}]`],
    ['extremely deeply nested', `[{"a":${'['.repeat(1_000_000)}`],
  ])('is rejected: %s', async (_, content) => {
    expect(await problemOf(content, 'json')).toMatchObject({ code: 'unreadable' });
  });
});

describe('a Parquet file', () => {
  it('is converted to columns of matching types', async () => {
    const connection = await database.connect();
    const from = join(directory, 'types.parquet');
    await connection.run(`COPY (SELECT 1::UTINYINT AS u, 1.25::DECIMAL(9, 2) AS d, 'nan'::DOUBLE AS n, 18446744073709551615::UBIGINT AS big,
      [1, 2] AS l, {'k': 1} AS s, 'x'::ENUM ('x', 'y') AS e, uuid '00000000-0000-0000-0000-000000000001' AS id, 'ab'::BLOB AS b,
      TIMESTAMPTZ '2025-03-14 09:30:00+00' AS z, TIMESTAMP_NS '2025-03-14 09:30:00' AS t, DATE '2025-03-14' AS day, true AS ok)
      TO '${from}' (FORMAT parquet)`);
    connection.closeSync();
    const to = join(directory, 'types-out.parquet');
    const table = await convert({ kind: 'convert', from, format: 'parquet', ignoreErrors: false, to });
    const types =
      'u integer,d number,n number,big text,l json,s json,e text,id text,b text,z timestamp,t timestamp,day date,ok boolean';
    const uuid = '00000000-0000-0000-0000-000000000001';
    const timestamp = '2025-03-14 09:30:00';
    const row = [
      '1',
      1.25,
      null,
      '18446744073709551615',
      '[1,2]',
      '{"k":1}',
      'x',
      uuid,
      'ab',
      timestamp,
      timestamp,
      '2025-03-14',
      true,
    ];
    await expectTable({ ...table, to }, { columns: types.split(','), rows: [row] });
  });

  it.each([
    ['empty', ''],
    ['junk', Buffer.alloc(1000, 7)],
    ['a header and footer without content', 'PAR1\xff\xff\xff\x7fPAR1'],
  ])('is rejected: %s', async (_, content) => {
    expect(await problemOf(content, 'parquet')).toMatchObject({ code: 'unreadable' });
  });
});

describe('a workbook', () => {
  const sheets: [string, Uint8Array, Expected][] = [
    [
      'values of all types',
      workbookFile({
        Data: [
          ['name', 'qty', 'price', 'day', 'at', 'time', 'share', 'ok', 'note'],
          [
            'chair',
            1,
            1.5,
            styled(45730, 1),
            styled(45730.5, 2),
            styled(0.25, 3),
            styled(0.125, 4),
            true,
            { xml: '<c t="e"><v>#N/A</v></c>' },
          ],
          [
            'oak & <x>',
            2,
            2,
            styled(45731, 1),
            styled(45731, 2),
            styled(0.5, 3),
            styled(1, 4),
            false,
            { xml: '<c t="str"><f>1+1</f><v>two</v></c>' },
          ],
        ],
      }),
      {
        columns: [
          'name text',
          'qty integer',
          'price number',
          'day date',
          'at timestamp',
          'time time',
          'share number',
          'ok boolean',
          'note text',
        ],
        rows: [
          ['chair', '1', 1.5, '2025-03-14', '2025-03-14 12:00:00', '06:00:00', 0.125, true, null],
          ['oak & <x>', '2', 2, '2025-03-15', '2025-03-15 00:00:00', '12:00:00', 1, false, 'two'],
        ],
        sheets: ['Data'],
        numbers: [[0, 2]],
      },
    ],
    [
      'shared strings, the 1904 date system, a requested sheet and a hidden sheet',
      workbookFile(
        { A: [['x']], B: [[{ xml: '<c t="s"><v>1</v></c>' }], [styled(44268, 1)]] },
        { shared: ['a', 'day'], startsIn1904: true, hidden: ['A'] },
      ),
      { columns: ['day date'], rows: [['2025-03-14']], sheets: ['A', 'B'], sheet: 'B' },
    ],
    [
      'a table that starts at B4 below a title',
      workbookFile({
        S: [[null, 'Demand 2025'], undefined, undefined, [null, 'p', 'q'], [null, 'a', 1], undefined, [null, 'b', 2]],
      }),
      {
        columns: ['p text', 'q integer'],
        rows: [
          ['a', '1'],
          ['b', '2'],
        ],
        numbers: [
          [0, 5],
          [1, 7],
        ],
      },
    ],
    [
      'text cells like those in a CSV file, and rows of different lengths',
      workbookFile({ S: [['n', 't'], ['1,5', '007'], [2.5], ['2,25', 'x', 'more']] }),
      {
        columns: ['n text', 't text', 'column_3 text'],
        rows: [
          ['1,5', '007', null],
          ['2.5', null, null],
          ['2,25', 'x', 'more'],
        ],
      },
    ],
    [
      'numbers stored as text next to numbers',
      workbookFile({ S: [['n'], ['12'], [13.5]] }),
      { columns: ['n number'], rows: [[12], [13.5]] },
    ],
    [
      'large numbers',
      workbookFile({ S: [['n'], [1e21], [-1e-7]] }),
      { columns: ['n number'], rows: [[1e21], [-1e-7]] },
    ],
  ];

  it.each(sheets)('is converted correctly: %s', async (_, content, expected) => {
    const { sheet } = expected;
    await expectTable(await described(content, 'xlsx', sheet === undefined ? {} : { sheet }), expected);
  });

  it('is rejected if the requested sheet is missing', async () => {
    expect(await problemOf(workbookFile({ A: [['x']] }), 'xlsx', { sheet: 'B' })).toMatchObject({
      code: 'unknown_sheet',
    });
  });

  const row: SheetCell[] = ['a', 'b'];
  const bomb =
    '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><worksheet><sheetData><row><c><v>&b;</v></c></row></sheetData></worksheet>';
  it.each([
    ['empty', new Uint8Array(0)],
    ['a CSV file', Buffer.from('a,b\n1,2')],
    ['truncated', workbookFile({ A: [row, row] }).subarray(0, 300)],
    ['an empty sheet', workbookFile({ A: [] })],
    ['an entity expansion bomb', workbookFile({ A: [row] }, { parts: { 'xl/worksheets/sheet0.xml': bomb } })],
    [
      'a decompression bomb',
      workbookFile({ A: [row] }, { parts: { 'xl/worksheets/sheet0.xml': ' '.repeat(50_000_000) } }),
    ],
    ['too many columns', workbookFile({ A: [Array.from({ length: 3_000 }, () => 1)] })],
  ])('is rejected: %s', async (_, content) => {
    expect(await problemOf(content, 'xlsx')).toMatchObject({ code: 'unreadable' });
  });
});

it('stops an aborted conversion without leaving any files behind', async () => {
  const reason = new Error('Enough');
  const content = 'a,b\n1,2\n'.repeat(200_000);
  await expect(
    (async () => {
      const from = join(directory, 'stopped.csv');
      await writeFile(from, content);
      const abort = new AbortController();
      setTimeout(() => abort.abort(reason), 5);
      await convert({ kind: 'convert', from, format: 'csv', ignoreErrors: false, to: `${from}.parquet` }, abort.signal);
    })(),
  ).rejects.toBe(reason);
  expect((await readdir(directory)).filter((name) => name.startsWith('stopped'))).toEqual(['stopped.csv']);
});
