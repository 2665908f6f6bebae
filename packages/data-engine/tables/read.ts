import type { DuckDBConnection } from '@duckdb/node-api';
import { parquetRows } from '../sql-text.js';
import { type ReadAnswer, type ReadTask, TaskProblem } from '../tasks.js';
import { columnType, MAX_ANSWER_BYTES, readRows } from './cells.js';
import { withDatabase } from './duckdb.js';
import { plan, type SourceColumn } from './structured-query.js';

/**
 * Runs a structured query. Unless the query specifies an order, rows are in file order, and groups are in the order of their
 * first rows.
 */
export async function readTableRows({ table, query }: ReadTask): Promise<ReadAnswer> {
  return await withDatabase([table], async (connection) => {
    const planned = plan(query, await columnsOf(connection, table));
    const { source, columns } = planned;
    const { sql, values, types, isGrouped } = planned.matched;
    await connection.run(`CREATE TEMP VIEW file AS SELECT ${source} FROM ${parquetRows(table)}`);
    if (isGrouped) await connection.run(`CREATE TEMP TABLE matched AS ${sql}`, values, types);
    const from = isGrouped ? { sql: 'SELECT * FROM matched', values: [], types: [] } : { sql, values, types };
    const counted = await connection.runAndReadAll(`SELECT count(*) FROM (${from.sql})`, from.values, from.types);
    const result = await connection.stream(planned.page(from.sql), from.values, from.types);
    const { rows, cut } = await readRows(result, query.limit);
    if (cut === 'bytes') {
      const sentence = `The rows take more than ${MAX_ANSWER_BYTES / 1024 ** 2} MiB: request fewer rows or columns`;
      throw new TaskProblem('invalid_query', sentence, { loc: ['limit'] });
    }
    return { columns, rows, total: Number(counted.getRows()[0]![0]) };
  });
}

/** Returns the columns under their DuckDB names. If names differ only in case, DuckDB appends a number to all but the first. */
async function columnsOf(connection: DuckDBConnection, table: string): Promise<SourceColumn[]> {
  const statement = await connection.prepare(`FROM ${parquetRows(table)}`);
  return Array.from({ length: statement.columnCount }, (_, index) => {
    const type = statement.columnType(index);
    return { name: statement.columnName(index), type: columnType(type), typeId: type.typeId };
  });
}
