import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { convert } from '../../packages/data-engine/tables/convert.js';
import type { ColumnType } from '../../packages/data-engine/tasks.js';

/*
 * Compares the tables detected by the engine with the tables read by pandas, which receives the format of each file.
 * `PYTHON` is the name of the interpreter. Without pandas and openpyxl, nothing is compared.
 */

const PYTHON = process.env['PYTHON'] ?? 'python3';
const hasPandas = spawnSync(PYTHON, ['-c', 'import pandas, openpyxl']).status === 0;
const compared = hasPandas ? it : it.skip;

interface Shape {
  /** Content of the file. Omitted for workbooks, which are created by openpyxl. */
  content?: string | Uint8Array;
  format?: 'csv' | 'tsv' | 'json' | 'xlsx';
  /** Options for pandas. */
  options?: object;
  sheet?: string;
  ignoreErrors?: boolean;
  /** Expected column names if they differ from the names in pandas. */
  names?: string[];
}

const LATIN = Buffer.from('Name;Stadt\nMüller;Köln\nWeiß;Füssen\n', 'latin1');
const dates = (format: string): object => ({ sep: ';', parse_dates: ['day'], date_format: format });

const shapes: Record<string, Shape> = {
  commas: { content: 'product,week,quantity\nchairs,1,40\ntables,2,12\n' },
  semicolons: { content: 'a;b\n1;x\n2;y\n', options: { sep: ';' } },
  tabs: { content: 'a\tb\n1\tx\n2\ty\n', format: 'tsv', options: { sep: '\t' } },
  bars: { content: 'a|b\n1|x\n2|y\n', options: { sep: '|' } },
  'a named delimiter': { content: 'sep=;\na;b\n1;2\n', options: { sep: ';', skiprows: 1 } },
  'decimal commas': { content: 'p;q\n1,5;2\n0,25;3\n', options: { sep: ';', decimal: ',' } },
  'points as thousands separators': {
    content: 'p;q\n1.234,5;x\n12.345.678,25;y\n',
    options: { sep: ';', decimal: ',', thousands: '.' },
  },
  'commas as thousands separators': { content: 'p,q\n"1,234.5",x\n"12,345",y\n', options: { thousands: ',' } },
  'spaces as thousands separators': {
    content: 'p;q\n1 234,5;x\n12 345;y\n',
    options: { sep: ';', decimal: ',', thousands: ' ' },
  },
  'apostrophes as thousands separators': {
    content: "p;q\n1'234.5;x\n12'345;y\n",
    options: { sep: ';', thousands: "'" },
  },
  exponents: { content: 'a,b\n1.5E+03,x\n2e-3,y\n' },
  'negative and signed numbers': { content: 'a,b\n-1,+2.5\n3,-.5\n' },
  'leading zeros': { content: 'zip,n\n01234,1\n98765,2\n', options: { dtype: { zip: 'str' } } },
  'long identifiers': { content: 'id,n\n12345678901234567,1\n1,2\n', options: { dtype: { id: 'str' } } },
  'a BOM': { content: '\ufeffa,b\n1,ä\n', options: { encoding: 'utf-8-sig' } },
  'little-endian UTF-16': {
    content: Buffer.from('\ufeffa;b\n1;ä\n', 'utf16le'),
    options: { sep: ';', encoding: 'utf-16' },
  },
  'big-endian UTF-16': {
    content: Buffer.from('\ufeffa;b\n1;ä\n', 'utf16le').swap16(),
    options: { sep: ';', encoding: 'utf-16' },
  },
  'Windows-1252': { content: LATIN, options: { sep: ';', encoding: 'windows-1252' } },
  'CR and LF': { content: 'a,b\r\n1,x\r\n2,y\r\n' },
  'CR alone': { content: 'a,b\r1,x\r2,y\r', options: { lineterminator: '\r' } },
  'no newline at the end': { content: 'a,b\n1,x\n2,y' },
  'newlines in quotes': { content: 'a,b\n"one\ntwo",1\n"x",2\n' },
  'doubled quotes': { content: 'a,b\n"say ""hi""",1\n"5"" pipe",2\n' },
  'delimiters in quotes': { content: 'a,b\n"x, y",1\n"u; v",2\n' },
  'apostrophes as quotes': { content: "a;b\n'x;y';1\n'z';2\n", options: { sep: ';', quotechar: "'" } },
  'empty lines': { content: 'a,b\n1,x\n\n2,y\n\n' },
  'empty cells': { content: 'a,b,c\n1,,x\n,2.5,\n3,4,y\n' },
  'an empty column': { content: 'a,b,c\n1,,x\n2,,y\n' },
  'strings that other readers treat as null': {
    content: 'a,b\nNA,1\nnull,2\nn/a,3\n',
    options: { keep_default_na: false },
  },
  'omitted ragged rows': {
    content: 'a,b\n1,x\n2,y,z\n3,w\n',
    ignoreErrors: true,
    options: { on_bad_lines: 'skip' },
  },
  'empty names': { content: 'a,,c\n1,2,3\n4,5,6\n', names: ['a', 'column_2', 'c'] },
  'duplicate names': { content: 'a,a,b\n1,2,3\n4,5,6\n', names: ['a', 'a_2', 'b'] },
  'no header': {
    content: '1,x\n2,y\n',
    options: { header: null },
    names: ['column_1', 'column_2'],
  },
  'ISO dates': { content: 'day;n\n2025-03-14;1\n1999-12-31;2\n', options: dates('%Y-%m-%d') },
  'German dates': { content: 'day;n\n14.03.2025;1\n31.12.1999;2\n', options: dates('%d.%m.%Y') },
  'British dates': { content: 'day;n\n14/03/2025;1\n01/12/1999;2\n', options: dates('%d/%m/%Y') },
  'American dates': { content: 'day;n\n03/14/2025;1\n12/01/1999;2\n', options: dates('%m/%d/%Y') },
  'dates with month names': { content: 'day;n\n14-Mar-2025;1\n31-Dec-1999;2\n', options: dates('%d-%b-%Y') },
  'dates of eight digits': { content: 'day;n\n20250314;1\n19991231;2\n', options: dates('%Y%m%d') },
  timestamps: { content: 'day;n\n2025-03-14 08:30:00;1\n1999-12-31T23:59:59;2\n', options: dates('ISO8601') },
  booleans: { content: 'a,b\ntrue,1\nFALSE,2\n' },
  '1,000 columns': {
    content: [0, 1, 2]
      .map((row) => Array.from({ length: 1_000 }, (_, n) => (row ? n * row : `c${n}`)).join())
      .join('\n'),
  },
  'a list of objects': {
    content: '[{"a":1,"b":"x"},{"a":2.5,"b":null},{"b":"y"}]',
    format: 'json',
    options: { orient: 'records' },
  },
  'one object per line': { content: '{"a":1,"b":"x"}\n{"a":2,"b":"y"}\n', format: 'json', options: { lines: true } },
  'a workbook with dates': { format: 'xlsx' },
  'another sheet': { format: 'xlsx', sheet: 'Lanes', options: { sheet_name: 'Lanes' } },
  'merged cells': { format: 'xlsx', sheet: 'Merged', options: { sheet_name: 'Merged' } },
};

interface Table {
  columns: string[];
  rows: unknown[][];
}

let folder: string;
let database: DuckDBInstance;
const ofPandas = new Map<string, Table>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pandas-'));
  database = await DuckDBInstance.create(':memory:', { threads: '1' });
  if (!hasPandas) return;
  const tasks = [];
  for (const [index, { content, format = 'csv', options = {} }] of Object.values(shapes).entries()) {
    const path = join(folder, `${index}.${format}`);
    if (content !== undefined) await writeFile(path, content);
    tasks.push({ path, reader: { csv: 'csv', tsv: 'csv', json: 'json', xlsx: 'excel' }[format], options });
  }
  // Loads everything in a single process, because importing pandas takes a second.
  const { stdout, stderr } = spawnSync(PYTHON, [fileURLToPath(new URL('./read-with-pandas.py', import.meta.url))], {
    input: JSON.stringify(tasks),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 ** 2,
  });
  if (stdout === '') throw new Error(stderr);
  for (const [index, table] of (JSON.parse(stdout) as Table[]).entries())
    ofPandas.set(Object.keys(shapes)[index]!, table);
});
afterAll(async () => {
  database.closeSync();
  await rm(folder, { recursive: true });
});

async function converted(from: string, { format = 'csv', sheet, ignoreErrors = false }: Shape): Promise<Table> {
  const to = `${from}.parquet`;
  const { columns } = await convert({
    kind: 'convert',
    from,
    format,
    ignoreErrors,
    to,
    ...(sheet !== undefined && { sheet }),
  });
  const connection = await database.connect();
  try {
    const rows = (await connection.runAndReadAll(`FROM read_parquet('${to}')`)).getRowsJson();
    return {
      columns: columns.map(({ name }) => name),
      rows: rows.map((row) => row.map((value, index) => asInPython(value, columns[index]!.type))),
    };
  } finally {
    connection.closeSync();
  }
}

function asInPython(value: unknown, type: ColumnType): unknown {
  if (value === null) return null;
  if (type === 'integer') return Number(value);
  if (type === 'date') return `${value as string}T00:00:00`;
  return type === 'timestamp' ? (value as string).replace(' ', 'T') : value;
}

describe(hasPandas ? 'the data engine' : 'NOT COMPARED: there is no Python with pandas and openpyxl', () => {
  compared.each(Object.entries(shapes))('reads the same table as pandas from a file with %s', async (name, shape) => {
    const path = join(folder, `${Object.keys(shapes).indexOf(name)}.${shape.format ?? 'csv'}`);
    const expected = ofPandas.get(name)!;
    const { columns, rows } = await converted(path, shape);
    expect(columns).toEqual(shape.names ?? expected.columns);
    expect(rows).toEqual(expected.rows);
  });
});
