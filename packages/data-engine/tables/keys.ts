import type { DuckDBConnection } from '@duckdb/node-api';
import { identifier, parquetRows } from '../sql-text.js';
import type { KeysAnswer, KeysTask } from '../tasks.js';
import { withDatabase } from './duckdb.js';
import { type StoredColumn, storedColumns, trimmedText } from './table-columns.js';

/** Checks whether columns identify the rows of a table. */
export async function checkKeys({ table, columns: names }: KeysTask): Promise<KeysAnswer> {
  return await withDatabase([table], async (connection): Promise<KeysAnswer> => {
    const columns = await storedColumns(connection, table, names);
    const parts = columns.map((column, at) => `${partOf(column)} AS k${at}`);
    await connection.run(
      `CREATE TEMP VIEW keys AS SELECT ${PLACE} AS place, ${parts.join(', ')} FROM ${parquetRows(table)}`,
    );
    const all = columns.map((_, at) => `k${at}`);
    const isEmpty = all.map((part) => `${part} IS NULL`);
    const doubled = await connection.runAndReadAll(
      `SELECT places[1], places[2], ${all.map((part) => `left(${part}::VARCHAR, ${MAX_CHARACTERS})`).join(', ')}
         FROM (SELECT min(place, 2) AS places, ${all.join(', ')} FROM keys
                WHERE NOT (${isEmpty.join(' OR ')}) GROUP BY ALL HAVING count(*) > 1)
        ORDER BY places[2] LIMIT 1`,
    );
    const empty = await connection.runAndReadAll(
      `SELECT ${isEmpty.join(', ')} FROM keys WHERE ${isEmpty.join(' OR ')} ORDER BY place LIMIT 1`,
    );
    const column = empty.getRows()[0]?.indexOf(true) ?? -1;
    const misfits = await misfitsOf(connection, table);
    const [first] = doubled.getRows();
    return {
      doubled:
        first === undefined ? null : { key: first.slice(2).map(String), rows: [Number(first[0]), Number(first[1])] },
      empty: column < 0 ? null : { ...(await rowsWithout(connection, column)), column: names[column] ?? '' },
      misfits,
    };
  });
}

/** Returns the first rows with an empty key column, and the number of such rows. */
async function rowsWithout(connection: DuckDBConnection, column: number): Promise<{ rows: number[]; count: number }> {
  const result = await connection.runAndReadAll(
    `SELECT place, count(*) OVER () FROM keys WHERE k${column} IS NULL ORDER BY place LIMIT ${MAX_EMPTY}`,
  );
  const rows = result.getRows();
  return { rows: rows.map(([place]) => Number(place)), count: Number(rows[0]?.[1] ?? 0) };
}

/** Maximum number of rows without a key that the result lists. */
const MAX_EMPTY = 5;
/** Maximum number of columns that are searched for text cells, and maximum length of the text quoted in the result. */
const MAX_COLUMNS = 100;
const MAX_CHARACTERS = 61;
/** SQL for the zero-based index of a row in the table. Rows are in file order. */
const PLACE = 'row_number() OVER () - 1';
/** Name that cannot collide with a column, because column names cannot contain this character. */
const ROW = identifier('row\u0001');

/** Finds text cells in columns that otherwise contain numbers. */
async function misfitsOf(connection: DuckDBConnection, table: string): Promise<KeysAnswer['misfits']> {
  const columns = (await storedColumns(connection, table)).filter(({ type }) => type === 'text').slice(0, MAX_COLUMNS);
  if (columns.length === 0) return [];
  const parts = columns.map((column) => {
    const text = trimmedText(column.name);
    const isNone = `${text} IS NOT NULL AND try_cast(${text} AS DOUBLE) IS NULL`;
    return `count(${text}), count(try_cast(${text} AS DOUBLE)), min(${ROW}) FILTER (${isNone}),
            left(arg_min(${text}, ${ROW}) FILTER (${isNone}), ${MAX_CHARACTERS})`;
  });
  const source = `SELECT *, ${PLACE} AS ${ROW} FROM ${parquetRows(table)}`;
  const [row] = (await connection.runAndReadAll(`SELECT ${parts.join(', ')} FROM (${source})`)).getRows();
  return columns.flatMap(({ name }, at): KeysAnswer['misfits'] => {
    const [texts, figures, place, text] = row!.slice(4 * at, 4 * at + 4);
    const isOfFigures = Number(figures) * 2 > Number(texts) && place !== null;
    return isOfFigures ? [{ column: name, row: Number(place), text: String(text) }] : [];
  });
}

/** Returns SQL for a key part, which is null if the cell is empty. */
const partOf = ({ name, type }: StoredColumn): string =>
  type === 'text' || type === 'json' ? trimmedText(name) : identifier(name);
