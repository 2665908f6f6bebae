import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DuckDBInstance } from '@duckdb/node-api';
import { readFile } from 'node:fs/promises';
import { TableFiles } from '../../../test/support/converted-table.js';

const files = new TableFiles();

let database: DuckDBInstance;
beforeAll(async () => {
  database = await DuckDBInstance.create(':memory:', { threads: '1' });
});
afterAll(() => database.closeSync());

async function parquet(sql: string): Promise<Buffer> {
  const path = files.path('source.parquet');
  const connection = await database.connect();
  await connection.run(`COPY (${sql}) TO '${path}' (FORMAT parquet)`);
  connection.closeSync();
  return await readFile(path);
}

describe('variants of Parquet', () => {
  it('are JSON with the types of their values', async () => {
    const values = ['[1,2.5]', '{"a":null,"b":["x",true]}', '3', '"text"', 'null'];
    const variants = values.map((value) => `'${value}'::JSON::VARIANT`).join();
    const { columns, rows } = await files.convert(await parquet(`SELECT unnest([${variants}, NULL]) AS v`), 'parquet');
    expect(columns).toEqual(['v json']);
    expect(rows).toEqual([[[1, 2.5]], [{ a: null, b: ['x', true] }], [3], ['text'], [null], [null]]);
  });
});
