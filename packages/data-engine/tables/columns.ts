import { rename, writeFile } from 'node:fs/promises';
import { serialize } from 'node:v8';
import type { DuckDBConnection } from '@duckdb/node-api';
import { partialPath } from '../messages.js';
import { identifier, literal, parquetRows } from '../sql-text.js';
import { type ColumnCells, type ColumnsAnswer, type ColumnsTask, TaskProblem } from '../tasks.js';
import { withDatabase } from './duckdb.js';
import { type StoredColumn, storedColumns, trimmedText } from './table-columns.js';

/** Maximum number of cells in a file. The programs that read it hold all cells in memory. */
const MAX_CELLS = 10_000_000;
/** Maximum total length of the distinct strings in a file, in characters. */
const MAX_TEXT = 20_000_000;

/** Zone that DuckDB appends to times with a zone. */
const UTC = '+00';
/** Maximum number of columns that are read at once. */
const COLUMNS_AT_ONCE = 50;

/** Writes whole columns to a file. @throws TaskProblem if a program that reads the file could not hold them in memory */
export async function writeColumns({ table, columns: names, to }: ColumnsTask): Promise<ColumnsAnswer> {
  const cells = await withDatabase([table], async (connection): Promise<ColumnCells[]> => {
    const columns = await storedColumns(connection, table, names);
    const counted = await connection.runAndReadAll(`SELECT count(*) FROM ${parquetRows(table)}`);
    const rows = Number(counted.getRows()[0]![0]);
    if (rows * names.length > MAX_CELLS)
      throw new TaskProblem('unreadable', `The columns used have more than ${MAX_CELLS} cells in total`);
    const budget = { characters: MAX_TEXT };
    const columnCells: ColumnCells[] = [];
    for (let from = 0; from < columns.length; from += COLUMNS_AT_ONCE)
      columnCells.push(
        ...(await readColumns(connection, table, columns.slice(from, from + COLUMNS_AT_ONCE), rows, budget)),
      );
    return columnCells;
  });
  const content = serialize(cells);
  await writeFile(partialPath(to), content);
  await rename(partialPath(to), to);
  return { bytes: content.byteLength };
}

/** Collects the cells of a column in row order. */
interface Collector {
  /** SQL for a cell. */
  sql: string;
  add: (row: number, value: unknown) => void;
  cells: () => ColumnCells;
}

async function readColumns(
  connection: DuckDBConnection,
  table: string,
  columns: readonly StoredColumn[],
  rows: number,
  budget: { characters: number },
): Promise<ColumnCells[]> {
  const inexact = await inexactColumns(connection, table, columns);
  const collectors = columns.map((column): Collector => {
    const isFigure = column.type === 'number' || (column.type === 'integer' && !inexact.has(column.name));
    return isFigure ? figuresOf(column, rows) : textsOf(column, rows, budget);
  });
  const result = await connection.stream(
    `SELECT ${collectors.map(({ sql }) => sql).join(', ')} FROM ${parquetRows(table)}`,
  );
  let first = 0;
  for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    for (const [at, { add }] of collectors.entries())
      for (const [row, value] of chunk.getColumnValues(at).entries()) add(first + row, value);
    first += chunk.rowCount;
  }
  return collectors.map(({ cells }) => cells());
}

/** Returns the integer columns with values that doubles do not hold exactly. They must be written as text. */
async function inexactColumns(
  connection: DuckDBConnection,
  table: string,
  columns: readonly StoredColumn[],
): Promise<Set<string>> {
  const names = columns.flatMap(({ name, type }) => (type === 'integer' ? [name] : []));
  if (names.length === 0) return new Set();
  const { MAX_SAFE_INTEGER: limit } = Number;
  const conditions = names.map(identifier).map((name) => `max(${name}) > ${limit} OR min(${name}) < -${limit}`);
  const result = await connection.runAndReadAll(`SELECT ${conditions.join(', ')} FROM ${parquetRows(table)}`);
  const [row = []] = result.getRows();
  return new Set(names.filter((_, at) => row[at] === true));
}

function figuresOf({ name }: StoredColumn, rows: number): Collector {
  const figures = new Float64Array(rows);
  return {
    sql: `${identifier(name)}::DOUBLE`,
    add: (row, value) => {
      figures[row] = value === null ? NaN : Number(value);
    },
    cells: () => ({ type: 'number', figures }),
  };
}

function textsOf({ name, type }: StoredColumn, rows: number, budget: { characters: number }): Collector {
  const places = new Int32Array(rows);
  const placesByText = new Map<string, number>();
  const text = trimmedText(name);
  return {
    sql: type === 'timestamp' ? `replace(${text}, ${literal(UTC)}, '')` : text,
    add: (row, value) => {
      const place = typeof value === 'string' ? (placesByText.get(value) ?? placesByText.size) : -1;
      places[row] = place;
      if (typeof value !== 'string' || place < placesByText.size) return;
      placesByText.set(value, place);
      budget.characters -= value.length;
      if (budget.characters < 0)
        throw new TaskProblem('unreadable', `The texts used have more than ${MAX_TEXT} characters in total`);
    },
    cells: () => ({ type: 'text', texts: [...placesByText.keys()], places }),
  };
}
