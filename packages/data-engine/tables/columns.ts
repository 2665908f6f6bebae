import { rename, writeFile } from 'node:fs/promises';
import { serialize } from 'node:v8';
import type { DuckDBConnection } from '@duckdb/node-api';
import { partialPath } from '../messages.js';
import { identifier, literal, parquetRows } from '../sql-text.js';
import { type ColumnCells, type ColumnsAnswer, type ColumnsTask, TaskProblem } from '../tasks.js';
import { withDatabase } from './duckdb.js';
import { storedColumns, trimmedText } from './table-columns.js';

/** Maximum number of cells in a file. The programs that read it hold all cells in memory. */
const MAX_CELLS = 10_000_000;
/** Maximum total length of the distinct strings in a file, in characters. */
const MAX_TEXT = 20_000_000;

/** Zone that DuckDB appends to times with a zone. */
const UTC = '+00';

/** Writes whole columns to a file. @throws TaskProblem if a program that reads the file could not hold them in memory */
export async function writeColumns({ table, columns: names, to }: ColumnsTask): Promise<ColumnsAnswer> {
  const cells = await withDatabase([table], async (connection): Promise<ColumnCells[]> => {
    const columnsInTable = await storedColumns(connection, table, names);
    const counted = await connection.runAndReadAll(`SELECT count(*) FROM ${parquetRows(table)}`);
    const rows = Number(counted.getRows()[0]![0]);
    if (rows * names.length > MAX_CELLS)
      throw new TaskProblem('unreadable', `The columns used have more than ${MAX_CELLS} cells in total`);
    const budget = { characters: MAX_TEXT };
    const columnCells: ColumnCells[] = [];
    for (const { name, type } of columnsInTable) {
      const cell = type === 'timestamp' ? `replace(${trimmedText(name)}, ${literal(UTC)}, '')` : trimmedText(name);
      const isFigure = type === 'number' || (type === 'integer' && (await isExact(connection, table, name)));
      columnCells.push(
        isFigure
          ? await figuresOf(connection, table, name, rows)
          : await textsOf(connection, table, cell, rows, budget),
      );
    }
    return columnCells;
  });
  const content = serialize(cells);
  await writeFile(partialPath(to), content);
  await rename(partialPath(to), to);
  return { bytes: content.byteLength };
}

/** Returns true if doubles hold all values of an integer column exactly. Otherwise the column must be written as text. */
async function isExact(connection: DuckDBConnection, table: string, name: string): Promise<boolean> {
  const column = identifier(name);
  const { MAX_SAFE_INTEGER: limit } = Number;
  const result = await connection.runAndReadAll(
    `SELECT coalesce(max(${column}) <= ${limit} AND min(${column}) >= -${limit}, true) FROM ${parquetRows(table)}`,
  );
  return result.getRows()[0]![0] === true;
}

async function figuresOf(
  connection: DuckDBConnection,
  table: string,
  name: string,
  rows: number,
): Promise<ColumnCells> {
  const figures = new Float64Array(rows);
  let at = 0;
  const sql = `SELECT ${identifier(name)}::DOUBLE FROM ${parquetRows(table)}`;
  for await (const value of valuesOf(connection, sql)) figures[at++] = value === null ? NaN : Number(value);
  return { type: 'number', figures };
}

async function textsOf(
  connection: DuckDBConnection,
  table: string,
  cell: string,
  rows: number,
  budget: { characters: number },
): Promise<ColumnCells> {
  const places = new Int32Array(rows);
  const placesByText = new Map<string, number>();
  let at = 0;
  const sql = `SELECT ${cell} FROM ${parquetRows(table)}`;
  for await (const value of valuesOf(connection, sql)) {
    if (value === null) {
      places[at++] = -1;
      continue;
    }
    const text = value as string;
    let place = placesByText.get(text);
    if (place === undefined) {
      place = placesByText.size;
      placesByText.set(text, place);
      budget.characters -= text.length;
      if (budget.characters < 0)
        throw new TaskProblem('unreadable', `The texts used have more than ${MAX_TEXT} characters in total`);
    }
    places[at++] = place;
  }
  return { type: 'text', texts: [...placesByText.keys()], places };
}

/** Yields the values of a single-column result. */
async function* valuesOf(connection: DuckDBConnection, sql: string): AsyncGenerator<unknown> {
  const result = await connection.stream(sql);
  for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await result.fetchChunk())
    yield* chunk.getColumnValues(0);
}
