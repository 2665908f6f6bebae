import type { DuckDBConnection } from '@duckdb/node-api';
import { literal } from '../sql-text.js';
import { type ColumnType, TaskProblem } from '../tasks.js';
import { columnType } from './cells.js';

/** A column of a converted table, as DuckDB names it. */
export interface StoredColumn {
  name: string;
  type: ColumnType;
}

/**
 * Some columns of a converted table, in the order of `names`.
 *
 * @throws TaskProblem `unknown_column`
 */
export async function storedColumns(
  connection: DuckDBConnection,
  table: string,
  names: readonly string[],
): Promise<StoredColumn[]> {
  const statement = await connection.prepare(`FROM read_parquet(${literal(table)})`);
  const all = Array.from({ length: statement.columnCount }, (_, index) => ({
    name: statement.columnName(index),
    type: columnType(statement.columnType(index)),
  }));
  return names.map((name) => {
    const found = all.find((column) => column.name === name);
    if (found === undefined) throw new TaskProblem('unknown_column', `The table has no column ${name}`);
    return found;
  });
}
