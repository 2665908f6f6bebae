import type { DuckDBConnection } from '@duckdb/node-api';
import { identifier, literal, parquetRows } from '../sql-text.js';
import { type ColumnType, TaskProblem } from '../tasks.js';
import { columnType } from './cells.js';

/** Column of a converted table, under the name that DuckDB uses. */
export interface StoredColumn {
  name: string;
  type: ColumnType;
}

/** Characters that JavaScript trims from strings. */
const WHITE_SPACE =
  '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';

/** Returns SQL for the trimmed text of a column, which is null if the text is empty. */
export const trimmedText = (column: string): string =>
  `nullif(trim(${identifier(column)}::VARCHAR, ${literal(WHITE_SPACE)}), '')`;

/**
 * Returns columns of a converted table in the order of `names`, or all columns if `names` is absent.
 *
 * @throws TaskProblem `unknown_column`
 */
export async function storedColumns(
  connection: DuckDBConnection,
  table: string,
  names?: readonly string[],
): Promise<StoredColumn[]> {
  const statement = await connection.prepare(`FROM ${parquetRows(table)}`);
  const all = Array.from({ length: statement.columnCount }, (_, index) => ({
    name: statement.columnName(index),
    type: columnType(statement.columnType(index)),
  }));
  if (names === undefined) return all;
  return names.map((name) => {
    const storedColumn = all.find((column) => column.name === name);
    if (storedColumn === undefined) throw new TaskProblem('unknown_column', `The table has no column ${name}`);
    return storedColumn;
  });
}
