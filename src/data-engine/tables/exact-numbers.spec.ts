import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DuckDBInstance } from '@duckdb/node-api';
import { readFile } from 'node:fs/promises';
import { refusal, TableFiles } from '../../../test/support/converted-table.js';
import type { Filter, TableFormat } from '../tasks.js';
import { query } from './query.js';

const files = new TableFiles();

let database: DuckDBInstance;
beforeAll(async () => {
  database = await DuckDBInstance.create(':memory:', { threads: '1' });
});
afterAll(() => database.closeSync());

/** A Parquet file with the result of a statement. */
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

describe('a number of more than 15 digits', () => {
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
  ])('stays an exact text in %s', async (_, format, content, first, second) => {
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
      'The value has another type than the column, whose values are texts',
    );
  });

  it.each<[string, TableFormat, () => string | Promise<Buffer>]>([
    ['CSV', 'csv', () => 'id,n\n123456789012345,0.30000000000000004\n-123456789012345,1234.56789012345678\n'],
    [
      'JSON',
      'json',
      () => '[{"id":123456789012345,"n":0.30000000000000004},{"id":-123456789012345,"n":1234.56789012345678}]',
    ],
    [
      'Parquet',
      'parquet',
      () =>
        parquet(`SELECT unnest(['123456789012345', '-123456789012345'])::BIGINT AS id,
          unnest(['0.30000000000000004', '1234.56789012345678'])::DECIMAL(38, 17) AS n`),
    ],
  ])('counts digits before the decimal sign only, in %s', async (_, format, content) => {
    expect(await files.convert(await content(), format)).toMatchObject({
      columns: ['id integer', 'n number'],
      rows: [
        [123456789012345, 0.30000000000000004],
        [-123456789012345, Number('1234.56789012345678')],
      ],
    });
  });

  it('is text beyond the range of numbers, too', async () => {
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
  ])('compares with a column of numbers: %s %s', async (op, value, count) => {
    expect(await rows('json', '[{"a":1e20}]', op, value)).toHaveLength(count);
  });

  it.each<[Filter['op'], unknown]>([
    ['=', 100000000000000000001n],
    ['in', [100000000000000000001n]],
    ['<=', 99999999999999999999n],
  ])('does not match the nearest number: %s %s', async (op, value) => {
    expect(await refusal(rows('json', '[{"a":1e20}]', op, value))).toBe(
      'The value has more digits than a number holds. Give at most 15 digits',
    );
  });

  it('compares with a column of integers', async () => {
    expect(await rows('csv', 'a\n1\n2\n', '<', BigInt(A))).toEqual([[1], [2]]);
    expect(await rows('csv', 'a\n1\n2\n', '>', 10n ** 60n)).toEqual([]);
    expect(await rows('csv', 'a\n1\n2\n', '=', '2')).toEqual([[2]]);
  });
});

describe('a decimal of a query', () => {
  it('is an exact text if a number does not hold it', async () => {
    const sql = `SELECT ${A}.0::DECIMAL(20, 0), ${A}.25, -${B}::DECIMAL(38, 2), 123456789012345.5, 0.1::DECIMAL(38, 20),
      [${A}::DECIMAL(20, 0)], {'a': ${A}::DECIMAL(20, 0)}, sum(x) FROM (VALUES (${A}::HUGEINT), (1::HUGEINT)) t(x)`;
    const { rows } = await query({ kind: 'query', tables: {}, sql, limit: 1 });
    expect(JSON.parse(rows)).toEqual([[A, `${A}.25`, `-${B}.00`, 123456789012345.5, 0.1, [A], { a: A }, B]]);
  });

  it('stays exact when the result is saved', async () => {
    for (const format of ['csv', 'parquet'] as const) {
      const to = files.path(`result.${format}`);
      await query({ kind: 'query', tables: {}, sql: pair('DECIMAL(20, 0)'), limit: 1, save: { to, format } });
      expect((await files.convert(await readFile(to), format)).rows).toEqual([
        [A, 1],
        [B, 2],
      ]);
    }
  });
});

describe('a column of Parquet with an infinity', () => {
  it.each([
    ['DOUBLE', "'12.5', 'inf', 'nan'", ['12.5', 'inf', null]],
    ['FLOAT', "'-inf', '0.5', '7'", ['-inf', '0.5', '7.0']],
    ['DATE', "'2025-03-14', 'infinity', NULL", ['2025-03-14', 'infinity', null]],
    ['TIMESTAMP', "'-infinity', '2025-03-14 08:30:00', NULL", ['-infinity', '2025-03-14 08:30:00', null]],
    ['TIMESTAMP_NS', "'infinity', '2025-03-14 08:30:00', NULL", ['infinity', '2025-03-14 08:30:00', null]],
    ['TIMESTAMPTZ', "'infinity', '2025-03-14 08:30:00+00', NULL", ['infinity', '2025-03-14 08:30:00+00', null]],
  ])('is text, so that the value stays: %s', async (type, values, expected) => {
    const { columns, rows } = await files.convert(await parquet(`SELECT unnest([${values}])::${type} AS v`), 'parquet');
    expect(columns).toEqual(['v text']);
    expect(rows.map(([value]) => value)).toEqual(expected);
  });

  it('keeps numbers beside NaN, which is a missing value', async () => {
    const file = await parquet("SELECT unnest(['12.5', 'nan'])::DOUBLE AS v, unnest(['1', 'nan'])::FLOAT AS w");
    const { columns, rows } = await files.convert(file, 'parquet');
    expect(columns).toEqual(['v number', 'w number']);
    expect(rows).toEqual([
      [12.5, 1],
      [null, null],
    ]);
  });
});
