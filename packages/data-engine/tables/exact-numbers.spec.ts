import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DuckDBInstance } from '@duckdb/node-api';
import { readFile } from 'node:fs/promises';
import { refusal, TableFiles } from '../../../test/support/converted-table.js';
import type { Filter, TableFormat } from '../tasks.js';
import { runQuery } from './query.js';

const files = new TableFiles();

let database: DuckDBInstance;
beforeAll(async () => {
  database = await DuckDBInstance.create(':memory:', { threads: '1' });
});
afterAll(() => database.closeSync());

/** Returns a Parquet file with the result of a statement. */
async function parquet(sql: string): Promise<Buffer> {
  const path = files.path('source.parquet');
  const connection = await database.connect();
  await connection.run(`COPY (${sql}) TO '${path}' (FORMAT parquet)`);
  connection.closeSync();
  return await readFile(path);
}

const A = '12345678901234567890';
const B = '12345678901234567891';
const pair = (type: string, first = A, second = B): string =>
  `SELECT unnest(['${first}', '${second}'])::${type} AS id, unnest([1, 2])::INTEGER AS n`;

describe('a number with more than 15 digits', () => {
  it.each<[string, TableFormat, () => string | Promise<Buffer>, string, string]>([
    ['CSV', 'csv', () => `id,n\n${A},1\n${B},2\n`, A, B],
    ['JSON', 'json', () => `[{"id":${A},"n":1},{"id":${B},"n":2}]`, A, B],
    [
      'JSON within 64 bits',
      'json',
      () => '{"id":9007199254740992,"n":1}\n{"id":9007199254740993,"n":2}',
      '9007199254740992',
      '9007199254740993',
    ],
    ['JSON with a fraction', 'json', () => `[{"id":${A}.5,"n":1},{"id":-${B}.25,"n":2}]`, `${A}.5`, `-${B}.25`],
    ['DECIMAL', 'parquet', () => parquet(pair('DECIMAL(20, 0)')), A, B],
    ['DECIMAL with a scale', 'parquet', () => parquet(pair('DECIMAL(24, 2)')), `${A}.00`, `${B}.00`],
    ['HUGEINT', 'parquet', () => parquet(pair('HUGEINT::DECIMAL(38, 0)')), A, B],
    [
      'UBIGINT',
      'parquet',
      () => parquet(pair('UBIGINT', '9007199254740992', '9007199254740993')),
      '9007199254740992',
      '9007199254740993',
    ],
    [
      'BIGINT',
      'parquet',
      () => parquet(pair('BIGINT', '-9007199254740992', '-9007199254740993')),
      '-9007199254740992',
      '-9007199254740993',
    ],
  ])('is kept as text with all its digits in %s', async (_, format, content, first, second) => {
    const table = await files.convert(await content(), format);
    expect(table).toMatchObject({
      columns: ['id text', 'n integer'],
      rows: [
        [first, 1],
        [second, 2],
      ],
    });
    expect(table.description.columns[0]!.distinct).toBe(2);
    const where = (op: Filter['op'], value: unknown) => ({ where: [{ column: 'id', op, value }] });
    expect((await files.rows(table.path, where('=', second))).rows).toEqual([[second, 2]]);
    expect((await files.rows(table.path, where('in', [first, '1']))).rows).toEqual([[first, 1]]);
    expect(await refusal(files.rows(table.path, where('=', BigInt(A))))).toBe(
      'The type of the value does not match the column, whose values are texts',
    );
  });

  const asFile = async (format: TableFormat, values: readonly string[]): Promise<string | Buffer> => {
    if (format === 'csv') return `v,n\n${values.map((value, at) => `${value},${at}\n`).join('')}`;
    if (format === 'json') return `[${values.map((value, at) => `{"v":${value},"n":${at}}`).join(',')}]`;
    return parquet(`SELECT unnest([${values.map((value) => `'${value}'`).join()}])::DECIMAL(38, 21) AS v`);
  };
  const FORMATS: readonly TableFormat[] = ['csv', 'json', 'parquet'];

  it.each([
    ['123456789012345.678', '1.5'],
    ['-123456789012345.125', '7.25'],
    ['1234567890.12345678', '0.5'],
    ['1234.56789012345678', '-0.30000000000000004'],
    ['0.1234567890123456789', '0.5'],
    ['-0.000123456789012345678', '3.5'],
  ])('is kept as text even if the excess digits are decimals: %s', async (...values) => {
    for (const format of FORMATS) {
      const table = await files.convert(await asFile(format, values), format);
      expect(table.columns[0]).toBe('v text');
      expect(table.rows.map(([value]) => String(value).replace(/0+$/, ''))).toEqual(values);
    }
  });

  it.each([
    ['0.30000000000000004', '-1234.5678901234567'],
    ['123456789012345.000', '-123456789012.345'],
    ['52.520006599999995', '2.3522219000000177'],
    ['0.000000000000000001', '0.00000000123456789'],
    ['0.1', '123456789012345.6'],
  ])('is read as a number if a double has the same digits: %s', async (...values) => {
    for (const format of FORMATS) {
      const table = await files.convert(await asFile(format, values), format);
      expect(table.columns[0]).toBe('v number');
      expect(table.rows.map(([value]) => value)).toEqual(values.map(Number));
    }
  });

  it.each([
    ['grouped digits', 'v;n\n123.456.789.012.345,678;1\n1.234,5;2\n', ['123.456.789.012.345,678', '1.234,5']],
    ['a decimal comma', 'v;n\n123456789012345,678;1\n1,5;2\n', ['123456789012345,678', '1,5']],
    ['an exponent', 'v,n\n1.234567890123456789E+05,1\n', ['1.234567890123456789E+05']],
    ['a percentage', 'v,n\n12.345678901234567891 %,1\n', ['12.345678901234567891 %']],
    ['a double printed with an exponent', 'v,n\n1.000000000000000056e-01,1\n9.900000000000000000e+01,2\n', [0.1, 99]],
    [
      'a double printed with 17 digits',
      'v,n\n0.10000000000000001,1\n52.520006599999996,2\n',
      [0.1, 52.520006599999996],
    ],
    ['a grouped number', 'v,n\n"1,234,567.123456789",1\n', [1234567.123456789]],
  ])('is read from CSV as exact text, or as a number if it is a printed double: %s', async (_, content, values) => {
    const { rows } = await files.convert(content, 'csv');
    expect(rows.map(([value]) => value)).toEqual(values);
  });

  it('is kept as exact text within a JSON object', async () => {
    const content =
      '[{"v":{"a":123456789012345.678,"b":[0.5,-0.1234567890123456789],"c":"1.5 \\" 123456789012345.678"},"n":1}]';
    const { rows } = await files.convert(content, 'json');
    expect(rows).toEqual([
      [{ a: '123456789012345.678', b: [0.5, '-0.1234567890123456789'], c: '1.5 " 123456789012345.678' }, 1],
    ]);
  });

  it('is rounded only once when converted from a Parquet decimal', async () => {
    const values = ['9007199254740.99', '123456789012.34567', '0.1', '-5'];
    const table = await files.convert(
      await parquet(`SELECT unnest(${JSON.stringify(values).replaceAll('"', "'")})::DECIMAL(38, 12) AS v`),
      'parquet',
    );
    expect(table.rows).toEqual(values.map((value) => [Number(value)]));
  });

  it('becomes text if it exceeds the range of doubles', async () => {
    expect((await files.convert('[{"a":1e400,"b":1e300}]', 'json')).rows).toEqual([['1e400', 1e300]]);
    expect((await files.convert('a,b\n1E+400,1E+290\n1E-400,1E-290\n', 'csv')).rows).toEqual([
      ['1E+400', 1e290],
      ['1E-400', 1e-290],
    ]);
  });
});

describe('a filter with a long number', () => {
  const rows = async (format: TableFormat, content: string, op: Filter['op'], value: unknown): Promise<unknown[][]> =>
    (await files.rows((await files.convert(content, format)).path, { where: [{ column: 'a', op, value }] })).rows;

  it.each<[Filter['op'], unknown, number]>([
    ['=', 1e20, 1],
    ['=', 100000000000000000000n, 1],
    ['in', [1, 100000000000000000000n], 1],
    ['<', 100000000000000000000n, 0],
    ['>', 9007199254740992n, 1],
  ])('can be applied to a number column: %s %s', async (op, value, count) => {
    expect(await rows('json', '[{"a":1e20}]', op, value)).toHaveLength(count);
  });

  it.each<[Filter['op'], unknown]>([
    ['=', 100000000000000000001n],
    ['in', [100000000000000000001n]],
    ['<=', 99999999999999999999n],
  ])('is rejected if only the nearest number fits: %s %s', async (op, value) => {
    expect(await refusal(rows('json', '[{"a":1e20}]', op, value))).toBe(
      'The value has too many digits. Use at most 15 digits',
    );
  });

  it('can be applied to an integer column', async () => {
    expect(await rows('csv', 'a\n1\n2\n', '<', BigInt(A))).toEqual([[1], [2]]);
    expect(await rows('csv', 'a\n1\n2\n', '>', 10n ** 60n)).toEqual([]);
    expect(await rows('csv', 'a\n1\n2\n', '=', '2')).toEqual([[2]]);
  });
});

describe('a decimal in a query result', () => {
  it('becomes text if a double cannot represent it exactly', async () => {
    const sql = `SELECT ${A}.0::DECIMAL(20, 0), ${A}.25, -${B}::DECIMAL(38, 2), 123456789012345.5, 0.1::DECIMAL(38, 20),
      [${A}::DECIMAL(20, 0)], {'a': ${A}::DECIMAL(20, 0)}, sum(x) FROM (VALUES (${A}::HUGEINT), (1::HUGEINT)) t(x)`;
    const { rows } = await runQuery({ kind: 'query', tables: {}, sql, limit: 1 });
    expect(JSON.parse(rows)).toEqual([[A, `${A}.25`, `-${B}.00`, 123456789012345.5, 0.1, [A], { a: A }, B]]);
  });

  it('becomes text if it has more decimal places than a double can represent', async () => {
    const sql = `SELECT 123456789012345.678::DECIMAL(18, 3), -123456789012345.125::DECIMAL(18, 3), 123456789012345.600::DECIMAL(18, 3),
      0.12345678901234567891::DECIMAL(20, 20), [1234567890.12345678::DECIMAL(18, 8)]`;
    const { rows } = await runQuery({ kind: 'query', tables: {}, sql, limit: 1 });
    expect(JSON.parse(rows)).toEqual([
      [
        '123456789012345.678',
        '-123456789012345.125',
        123456789012345.6,
        '0.12345678901234567891',
        ['1234567890.12345678'],
      ],
    ]);
  });

  it('stays exact when the result is saved', async () => {
    for (const format of ['csv', 'parquet'] as const) {
      const to = files.path(`result.${format}`);
      await runQuery({ kind: 'query', tables: {}, sql: pair('DECIMAL(20, 0)'), limit: 1, save: { to, format } });
      expect((await files.convert(await readFile(to), format)).rows).toEqual([
        [A, 1],
        [B, 2],
      ]);
    }
  });
});

describe('a Parquet column with infinities', () => {
  it.each([
    ['DOUBLE', "'12.5', 'inf', 'nan'", ['12.5', 'inf', null]],
    ['FLOAT', "'-inf', '0.5', '-nan'", ['-inf', '0.5', null]],
    ['DATE', "'2025-03-14', 'infinity', NULL", ['2025-03-14', 'infinity', null]],
    ['TIMESTAMP', "'-infinity', '2025-03-14 08:30:00', NULL", ['-infinity', '2025-03-14 08:30:00', null]],
    ['TIMESTAMP_NS', "'infinity', '2025-03-14 08:30:00', NULL", ['infinity', '2025-03-14 08:30:00', null]],
    ['TIMESTAMPTZ', "'infinity', '2025-03-14 08:30:00+00', NULL", ['infinity', '2025-03-14 08:30:00+00', null]],
  ])('becomes text to preserve infinity: %s', async (type, values, expected) => {
    const { columns, rows } = await files.convert(await parquet(`SELECT unnest([${values}])::${type} AS v`), 'parquet');
    expect(columns).toEqual(['v text']);
    expect(rows.map(([value]) => value)).toEqual(expected);
  });

  it('remains a number column with missing values if it contains only NaN', async () => {
    const file = await parquet("SELECT unnest(['12.5', 'nan'])::DOUBLE AS v, unnest(['1', 'nan'])::FLOAT AS w");
    const { columns, rows } = await files.convert(file, 'parquet');
    expect(columns).toEqual(['v number', 'w number']);
    expect(rows).toEqual([
      [12.5, 1],
      [null, null],
    ]);
  });
});

describe('a Parquet column with nanoseconds', () => {
  const at = (...values: string[]): string =>
    `SELECT unnest([${values.map((value) => `'${value}'`).join()}])::TIMESTAMP_NS AS t`;

  it('becomes text to keep all digits', async () => {
    const times = ['2025-01-01 10:00:00.123456789', '2025-01-01 10:00:00.000000001'];
    const table = await files.convert(await parquet(at(...times)), 'parquet');
    expect(table.columns).toEqual(['t text']);
    expect(table.rows).toEqual(times.map((time) => [time]));
    expect(table.description.columns[0]!.distinct).toBe(2);
  });

  it.each(['2025-01-01 10:00:00', '2025-01-01 10:00:00.123456', '1965-01-01 00:00:00.5'])(
    'remains a timestamp column if its values have whole microseconds: %s',
    async (time) => {
      expect((await files.convert(await parquet(at(time)), 'parquet')).columns).toEqual(['t timestamp']);
    },
  );
});

/** Files written by pyarrow, because DuckDB cannot write these types. */
const PYARROW = {
  /** `n` and `price decimal256(40, 2)` with the value 1.50. */
  decimal: [
    'UEFSMRUAFRwVHCwVAhUAFQYVBhwAAAACAAAAAgEBAAAAAAAAABUAFS4VLiwVAhUAFQYVBhwAAAACAAAAAgEAAAAAAAAAAAAAAAAAAAAAlhUEGT',
    'w1ABgGc2NoZW1hFQQAFQQlAhgBbgAVDhUiFQIYBXByaWNlJQoVBBVQLFwVBBVQAAAAFgIZHBksJgAcFQQZJQYAGRgBbhUAFgIWQhZCJghJHBUA',
    'FQAVAgA8KQYZJgACAAAAJgAcFQ4ZJQYAGRgFcHJpY2UVABYCFlQWVCZKSRwVABUAFQIAPCkGGSYAAgAAABaWARYCJggWlgEAKCBwYXJxdWV0LW',
    'NwcC1hcnJvdyB2ZXJzaW9uIDI2LjAuMRksHAAAHAAAAMkAAABQQVIx',
  ].join(''),
  /** `s struct<l: list<decimal256(60, 2)>>` with the value 1.50, and `n`. */
  nestedDecimal: [
    'UEFSMRUAFUwVTCwVAhUAFQYVBhwAAAACAAAAAgACAAAAAgQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAlhUAFRwVHCwVAhUAFQYVBhwAAAACAA',
    'AAAgEBAAAAAAAAABUEGWw1ABgGc2NoZW1hFQQANQIYAXMVAgA1AhgBbBUCFQZMPAAAADUEGARsaXN0FQIAFQ4VNBUCGAdlbGVtZW50JQoVBBV4',
    'LFwVBBV4AAAAFQQlAhgBbgAWAhkcGSwmABwVDhklBgAZSAFzAWwEbGlzdAdlbGVtZW50FQAWAhZyFnImCEkcFQAVABUCADwpJgIAGVYAAAAAAg',
    'AAACYAHBUEGSUGABkYAW4VABYCFkIWQiZ6SRwVABUAFQIAPCkGGSYAAgAAABa0ARYCJggWtAEAKCBwYXJxdWV0LWNwcC1hcnJvdyB2ZXJzaW9u',
    'IDI2LjAuMRksHAAAHAAAAPwAAABQQVIx',
  ].join(''),
  /** `s struct<m: map<string, int64>>` with the key `k` twice. */
  repeatedKey: [
    'UEFSMRUAFSwVLCwVBBUAFQYVBhwAAAACAAAAAwICAAAABAMBAAAAawEAAABrFQAVOBU4LBUEFQAVBhUGHAAAAAIAAAADAgIAAAAEBAEAAAAAAA',
    'AAAgAAAAAAAAAVBBlsNQAYBnNjaGVtYRUCADUCGAFzFQIANQIYAW0VAhUCTCwAAAA1BBgJa2V5X3ZhbHVlFQQAFQwlABgDa2V5JQBMHAAAABUE',
    'JQIYBXZhbHVlABYCGRwZLCYAHBUMGSUGABlIAXMBbQlrZXlfdmFsdWUDa2V5FQAWBBZSFlImCEkcFQAVABUCADwWBBkmAgIZRgAAAAQAAAAmAB',
    'wVBBklBgAZSAFzAW0Ja2V5X3ZhbHVlBXZhbHVlFQAWBBZeFl4mWkkcFQAVABUCADwpJgICGVYAAAAABAAAABawARYCJggWsAEAKCBwYXJxdWV0',
    'LWNwcC1hcnJvdyB2ZXJzaW9uIDI2LjAuMRksHAAAHAAAABABAABQQVIx',
  ].join(''),
};

describe('Parquet columns that cannot be read exactly', () => {
  it.each([
    ['decimal', 'The column "price" has decimals with more than 38 digits. Save them as texts or with fewer digits'],
    ['nestedDecimal', 'The column "s" has decimals with more than 38 digits. Save them as texts or with fewer digits'],
    ['repeatedKey', 'The column "s" has a map with the key "k" twice. Save its entries as a list'],
  ] as const)('are rejected: %s', async (name, sentence) => {
    expect(await refusal(files.convert(Buffer.from(PYARROW[name], 'base64'), 'parquet'))).toBe(sentence);
  });

  it('do not include maps whose keys repeat only in other maps', async () => {
    const maps = "SELECT unnest([MAP {'a.b': MAP {'k': 1}, 'a': MAP {'b': 2, 'k': 3}}, MAP {'a': MAP {'k': 4}}]) AS m";
    const { columns, rows } = await files.convert(await parquet(maps), 'parquet');
    expect(columns).toEqual(['m json']);
    expect(rows).toEqual([[{ 'a.b': { k: 1 }, a: { b: 2, k: 3 } }], [{ a: { k: 4 } }]]);
  });
});
