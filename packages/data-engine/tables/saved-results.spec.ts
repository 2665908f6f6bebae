import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { TableFiles } from '../../../test/support/converted-table.js';
import { runQuery } from './query.js';

const files = new TableFiles();

/** Runs a query and saves its result. Returns the rows of the result and of the saved file. */
async function saved(sql: string, format: 'csv' | 'parquet', tables: Record<string, string> = {}) {
  const to = files.path(`result.${format}`);
  const { rows } = await runQuery({ kind: 'query', tables, sql, limit: 1_000, save: { to, format } });
  const content = await readFile(to);
  return { content, answered: JSON.parse(rows) as unknown[][], read: await files.convert(content, format) };
}

describe('a result saved as CSV', () => {
  it('keeps nulls at the end of a single-column table', async () => {
    const { path } = await files.convert('id,v\n1,1.5\n2,\n3,\n', 'csv');
    const { content, read } = await saved('SELECT v FROM t ORDER BY id', 'csv', { t: path });
    expect(read).toMatchObject({ columns: ['v number'], rows: [[1.5], [null], [null]] });
    expect(content.toString()).toBe('v\n1.5\n""\n""\n');
  });

  it.each([
    ['nulls at the start', "VALUES (NULL), (NULL), ('a')"],
    ['nulls between strings', "VALUES ('a'), (NULL), (NULL), ('b')"],
    ['nulls only', 'VALUES (NULL::VARCHAR), (NULL)'],
    ['one null', 'SELECT NULL::INTEGER'],
    ['numbers', 'VALUES (NULL), (5), (NULL)'],
    ['numbers of all sizes', 'VALUES (1e300::DOUBLE), (1.7976931348623157e308), (-1e308), (5e-324), (0.1)'],
    ['dates', "VALUES (DATE '2025-01-02'), (NULL)"],
    ['strings of spaces', "VALUES (' '), ('a'), ('   ')"],
    ['null tokens of other programs', String.raw`VALUES ('\N'), ('NULL'), ('a')`],
    ['quotes', `VALUES ('"'), ('""'), ('a"b')`],
    ['line breaks', "VALUES (chr(10)), (chr(13) || chr(10) || 'x'), ('a' || chr(13))"],
    ['delimiters', "VALUES ('a;b'), ('c;d'), ('e,f')"],
    ['several columns', "VALUES (NULL, NULL), ('a', 1), (NULL, 2), (' ', NULL), (NULL, NULL)"],
    ['several columns of nulls', 'SELECT NULL::INTEGER AS a, NULL::VARCHAR AS b'],
  ])('has the same rows as the query result: %s', async (_, sql) => {
    const { answered, read } = await saved(`SELECT * FROM (${sql}) t`, 'csv');
    expect(read.rows).toEqual(answered);
    expect((await saved(`SELECT * FROM (${sql}) t`, 'parquet')).read.rows).toEqual(answered);
  });

  it('turns empty strings into nulls, because CSV cannot distinguish them', async () => {
    for (const sql of ["VALUES (''), ('a'), ('')", "VALUES ('', ''), ('a', 'b'), ('', '')"]) {
      const { answered, read } = await saved(`SELECT * FROM (${sql}) t`, 'csv');
      expect(read.rows).toEqual(answered.map((row) => row.map((cell) => (cell === '' ? null : cell))));
    }
  });

  it('contains only a header if there are no rows', async () => {
    expect((await saved("SELECT 'a' AS name WHERE false", 'csv')).read).toMatchObject({
      columns: ['name text'],
      rows: [],
    });
  });
});

describe('a result saved as Parquet', () => {
  it.each([
    ['integers beyond 64 bits', 'SELECT 12345678901234567890::HUGEINT AS a'],
    ['the largest integers', "VALUES ('170141183460469231731687303715884105727'::HUGEINT), (NULL)"],
    [
      'the largest unsigned integers',
      "SELECT '340282366920938463463374607431768211455'::UHUGEINT AS a, 7::UHUGEINT AS b",
    ],
    ['sums', 'SELECT sum(x) AS a FROM (VALUES (9007199254740993::BIGINT), (9007199254740993)) t(x)'],
    [
      'sums beyond 64 bits',
      'SELECT sum(x) AS a FROM (VALUES (9223372036854775807::BIGINT), (9223372036854775807)) t(x)',
    ],
    ['sums of groups', 'SELECT k, sum(x) AS a FROM (VALUES (1, 10), (2, 20), (1, 5)) t(k, x) GROUP BY k ORDER BY k'],
    ['lists of integers beyond 64 bits', 'SELECT [12345678901234567890::HUGEINT, NULL, 2] AS a'],
    ['fields with the name of the type', "SELECT {'HUGEINT': 12345678901234567890::HUGEINT, 'b': 'HUGEINT'} AS a"],
    ['maps to integers beyond 64 bits', "SELECT MAP {'a': 12345678901234567890::HUGEINT} AS a"],
  ])('keeps all digits: %s', async (_, sql) => {
    const { answered, read } = await saved(sql, 'parquet');
    expect(JSON.parse(JSON.stringify(read.rows))).toEqual(answered);
  });

  it('keeps integer sums as integers', async () => {
    const { read } = await saved('SELECT sum(x) AS total FROM (VALUES (1), (2)) t(x)', 'parquet');
    expect(read).toMatchObject({ columns: ['total integer'], rows: [[3]] });
  });
});
