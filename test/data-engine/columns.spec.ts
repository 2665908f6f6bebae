import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deserialize } from 'node:v8';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ColumnCells } from '../../packages/data-engine/tasks.js';
import { TestEngine } from '../support/data-engine.js';

let test: TestEngine;
beforeAll(async () => {
  test = await TestEngine.start({ size: 1 });
});
afterAll(() => test.stop());

const columnsOf = async (sql: string, ...columns: string[]): Promise<unknown[]> => {
  const table = await test.table('columns', sql);
  const to = join(test.directory, 'cells');
  const { bytes } = await test.engine.run({ kind: 'columns', table, columns, to }, { company_id: 'a' });
  const content = await readFile(to);
  expect(content).toHaveLength(bytes);
  const cells = deserialize(content) as ColumnCells[];
  expect(cells).toHaveLength(columns.length);
  return cells.map(cellsOf);
};
const cellsOf = (cells: ColumnCells): (number | string | null)[] =>
  cells.type === 'number'
    ? Array.from(cells.figures, (figure) => (Number.isNaN(figure) ? null : figure))
    : Array.from(cells.places, (place) => (place < 0 ? null : cells.texts[place]!));
const keysOf = async (sql: string, ...columns: string[]) => {
  const table = await test.table('keys', sql);
  return await test.engine.run({ kind: 'keys', table, columns }, { company_id: 'a' });
};
const rows = (...values: string[]): string => `SELECT * FROM (VALUES ${values.join(', ')}) AS t (a, b)`;

describe('the column reader', () => {
  it('returns many columns in the requested order', async () => {
    const names = Array.from({ length: 120 }, (_, at) => `c${119 - at}`);
    const cells = names.map((name, at) => `${at % 3 === 0 ? `'${name}'` : at} AS ${name}`);
    expect(await columnsOf(`SELECT ${cells.join(', ')}`, ...names.toReversed())).toEqual(
      names.map((name, at) => [at % 3 === 0 ? name : at]).toReversed(),
    );
  });

  it('returns a cell for each row in the order of the file', async () => {
    const sql = rows(`(1, ' x ')`, `(NULL, NULL)`, `(3, '\u00a0')`, `(2, 'x')`);
    expect(await columnsOf(sql, 'b', 'a')).toEqual([
      ['x', null, null, 'x'],
      [1, null, 3, 2],
    ]);
    expect(await columnsOf(sql)).toEqual([]);
  });

  it('returns numbers or strings, depending on the column type', async () => {
    const sql = `SELECT 1.5::DOUBLE AS number, true AS boolean, DATE '2026-02-01' AS date, TIMESTAMP '2026-02-01 10:00' AS timestamp`;
    expect(await columnsOf(sql, 'number', 'boolean', 'date', 'timestamp')).toEqual([
      [1.5],
      ['true'],
      ['2026-02-01'],
      ['2026-02-01 10:00:00'],
    ]);
  });

  it('returns all rows of a large table', async () => {
    const sql = `SELECT range AS a, 'member ' || (range % 7) AS b FROM range(300000)`;
    const [figures, texts] = (await columnsOf(sql, 'a', 'b')) as [number[], string[]];
    expect(figures.every((figure, row) => figure === row)).toBe(true);
    expect(texts.every((text, row) => text === `member ${row % 7}`)).toBe(true);
  });

  it('rejects unknown columns, and columns with more cells than a model can use', async () => {
    await expect(columnsOf('SELECT 1 AS a', 'b')).rejects.toMatchObject({ code: 'unknown_column' });
    await expect(columnsOf('SELECT range AS a FROM range(5000001)', 'a', 'a')).rejects.toMatchObject({
      message: 'The columns used have more than 10000000 cells in total',
    });
  });
});

describe('the key check', () => {
  it('accepts a key that distinguishes all rows', async () => {
    const fine = { doubled: null, empty: null, misfits: [] };
    expect(await keysOf(rows(`(1, 'x')`, `(1, 'y')`, `(2, 'x')`), 'a', 'b')).toEqual(fine);
    expect(await keysOf('SELECT range AS a FROM range(100000)', 'a')).toEqual(fine);
    expect(await keysOf('SELECT 1 AS a WHERE false', 'a')).toEqual(fine);
  });

  it('ignores surrounding white space and reports the first duplicate key', async () => {
    const sql = rows(`(1, 'x')`, `(2, 'y')`, `(3, '\ty')`, `(4, 'x ')`);
    expect(await keysOf(sql, 'b')).toMatchObject({ doubled: { key: ['y'], rows: [1, 2] }, empty: null });
    expect((await keysOf(rows(`(1.5, 'x')`, `(1.5, 'x')`, `(1.5, 'x')`), 'a', 'b')).doubled).toEqual({
      key: ['1.5', 'x'],
      rows: [0, 1],
    });
  });

  it('reports the rows in which a key column is empty', async () => {
    const sql = rows(`(1, 'x')`, `(2, ' ')`, `(NULL, 'x')`, `(NULL, 'x')`);
    expect(await keysOf(sql, 'b')).toMatchObject({
      doubled: { key: ['x'], rows: [0, 2] },
      empty: { rows: [1], count: 1, column: 'b' },
    });
    expect(await keysOf(sql, 'a', 'b')).toMatchObject({ doubled: null, empty: { rows: [1], count: 1, column: 'b' } });
    expect((await keysOf(sql, 'a')).empty).toEqual({ rows: [2, 3], count: 2, column: 'a' });
  });

  it('reports the first string in a column that mostly contains numbers', async () => {
    const sql = `SELECT * FROM (VALUES (1, '1', 'a', '1'), (2, ' 2.5 ', '1', NULL), (3, 'n/a', 'b', '2'), (4, '-', '2', '3'))
                   AS t (id, amount, name, fine)`;
    expect((await keysOf(sql, 'id')).misfits).toEqual([]);
    expect((await keysOf(`${sql} UNION ALL VALUES (5, '7', 'c', '4')`, 'id')).misfits).toEqual([
      { column: 'amount', row: 2, text: 'n/a' },
    ]);
  });

  it('rejects a key with an unknown column', async () => {
    await expect(keysOf('SELECT 1 AS a', 'b')).rejects.toMatchObject({ code: 'unknown_column' });
  });
});
