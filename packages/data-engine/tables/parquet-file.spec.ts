import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DuckDBInstance } from '@duckdb/node-api';
import { refusal, TableFiles } from '../../../test/support/converted-table.js';
import { convert } from './convert.js';
import { runQuery } from './query.js';

const files = new TableFiles();

let database: DuckDBInstance;
beforeAll(async () => {
  database = await DuckDBInstance.create(':memory:', { threads: '1' });
});
afterAll(() => database.closeSync());

async function parquet(sql: string, options = ''): Promise<Buffer> {
  const path = files.path('source.parquet');
  const connection = await database.connect();
  await connection.run(`COPY (${sql}) TO '${path}' (FORMAT parquet${options})`);
  connection.closeSync();
  return await readFile(path);
}

describe('a Parquet column of variants', () => {
  it('becomes JSON that keeps the types of its values', async () => {
    const values = ['[1,2.5]', '{"a":null,"b":["x",true]}', '3', '"text"', 'null'];
    const variants = values.map((value) => `'${value}'::JSON::VARIANT`).join();
    const { columns, rows } = await files.convert(await parquet(`SELECT unnest([${variants}, NULL]) AS v`), 'parquet');
    expect(columns).toEqual(['v json']);
    expect(rows).toEqual([[[1, 2.5]], [{ a: null, b: ['x', true] }], [3], ['text'], [null], [null]]);
  });
});

describe('a Parquet file with an unknown compression', () => {
  it('is rejected with a message that names the compression', async () => {
    const file = await parquet('SELECT 1 AS n', ', COMPRESSION lz4_raw');
    // Change the compression of the column to the deprecated LZ4 codec.
    const old = Buffer.from(file.toString('latin1').replace('\x01n\x15\x0e', '\x01n\x15\x0a'), 'latin1');
    expect(await refusal(files.convert(old, 'parquet'))).toBe(
      'Parquet files compressed with LZ4 cannot be read. Save the file with Snappy or Zstandard',
    );
  });
});

describe('a Parquet file in a folder with an equals sign', () => {
  it('is read without a column for the folder name', async () => {
    const folder = files.path('year=2025');
    await mkdir(folder);
    const [from, to] = [join(folder, 'from.parquet'), join(folder, 'to.parquet')];
    await writeFile(from, await parquet('SELECT 1 AS n'));
    const { columns } = await convert({ kind: 'convert', from, format: 'parquet', ignoreErrors: false, to });
    expect(columns.map(({ name }) => name)).toEqual(['n']);
    expect((await files.rows(to)).columns).toEqual(['n integer']);
    const answer = await runQuery({ kind: 'query', tables: { t: to }, sql: 'SELECT * FROM t', limit: 1 });
    expect(answer.columns.map(({ name }) => name)).toEqual(['n']);
  });
});
