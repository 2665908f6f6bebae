import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TableDescription, TableFormat } from '../../packages/data-engine/tasks.js';
import { TestEngine } from '../support/data-engine.js';
import { workbookFile } from '../support/workbook-file.js';

/*
 * Long and wide tables, read by processes with the same limits as in the service. With `TABLE_SHAPES=long`, the tables
 * have realistic maximum sizes. Otherwise, they have a hundredth of these sizes.
 */

const isLong = process.env['TABLE_SHAPES'] === 'long';
const ROWS = isLong ? 1_000_000 : 10_000;
const ROWS_OF_WORKBOOK = isLong ? 200_000 : 2_000;
const ROWS_OF_WIDE = isLong ? 20_000 : 200;
const COLUMNS = 1_000;
const WEEKS = 52;

let test: TestEngine;
beforeAll(async () => {
  test = await TestEngine.start({ seconds: 60 });
});
afterAll(async () => await test.stop());

/** Reads a table. Returns its description and the first row of a query for the table `t`. */
async function asked(
  content: string | Uint8Array,
  format: TableFormat,
  sql: string,
): Promise<{ table: TableDescription; row: unknown[] }> {
  const from = join(test.directory, `table.${format}`);
  const to = `${from}.parquet`;
  await writeFile(from, content);
  const task = { kind: 'convert', from, format, ignoreErrors: false, to } as const;
  const table = await test.engine.run(task, { company_id: 'a' });
  const { rows } = await test.query(sql, { t: to });
  return { table, row: (JSON.parse(rows) as unknown[][])[0]! };
}

const sumTo = (count: number): number => (count * (count - 1)) / 2;

describe('the data engine', () => {
  it(`reads a table with ${ROWS.toLocaleString('en')} rows`, async () => {
    const lines = Array.from(
      { length: ROWS },
      (_, n) => `${n};product ${n % 500};${n % WEEKS};${n % 100},25;14.03.2025`,
    );
    const { table, row } = await asked(
      ['id;product;week;price;day', ...lines].join('\n'),
      'csv',
      'SELECT count(*), sum(id), count(DISTINCT product), max(week), sum(price), min(day), max(day) FROM t',
    );
    expect(table.columns.map(({ type, distinct }) => [type, distinct])).toEqual([
      ['integer', ROWS],
      ['text', 500],
      ['integer', WEEKS],
      ['number', 100],
      ['date', 1],
    ]);
    const prices = (ROWS / 100) * sumTo(100) + ROWS / 4;
    expect(row).toEqual([ROWS, sumTo(ROWS), 500, WEEKS - 1, prices, '2025-03-14', '2025-03-14']);
  }, 120_000);

  it(`reads a table with 1,000 columns and ${ROWS_OF_WIDE.toLocaleString('en')} rows`, async () => {
    const numbers = Array.from({ length: COLUMNS }, (_, column) => column);
    const lines = Array.from({ length: ROWS_OF_WIDE }, (_, n) => numbers.map((column) => n + column).join());
    const { table, row } = await asked(
      [numbers.map((column) => `c${column}`).join(), ...lines].join('\n'),
      'csv',
      `SELECT ${[0, 499, 999].map((column) => `sum(c${column})`).join(', ')} FROM t`,
    );
    expect(table.columns).toEqual(
      numbers.map((column) => ({ name: `c${column}`, type: 'integer', nulls: 0, distinct: ROWS_OF_WIDE })),
    );
    expect(row).toEqual([0, 499, 999].map((column) => sumTo(ROWS_OF_WIDE) + column * ROWS_OF_WIDE));
  }, 120_000);

  it(`reads a workbook with ${ROWS_OF_WORKBOOK.toLocaleString('en')} rows`, async () => {
    const rows = Array.from({ length: ROWS_OF_WORKBOOK }, (_, n) => [n, `product ${n % 500}`, n % WEEKS, n / 2]);
    const { table, row } = await asked(
      workbookFile({ Demand: [['id', 'product', 'week', 'price'], ...rows] }),
      'xlsx',
      'SELECT count(*), sum(id), count(DISTINCT product), max(week), sum(price) FROM t',
    );
    expect(table.columns.map(({ type }) => type)).toEqual(['integer', 'text', 'integer', 'number']);
    expect(row).toEqual([ROWS_OF_WORKBOOK, sumTo(ROWS_OF_WORKBOOK), 500, WEEKS - 1, sumTo(ROWS_OF_WORKBOOK) / 2]);
  }, 120_000);
});
