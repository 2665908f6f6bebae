import { identifier, literal } from '../sql-text.js';
import type { KeysAnswer, KeysTask } from '../tasks.js';
import { withDatabase } from './duckdb.js';
import { type StoredColumn, storedColumns, trimmedText } from './table-columns.js';

/** Looks whether columns tell the rows of a table apart. */
export async function keys({ table, columns: names }: KeysTask): Promise<KeysAnswer> {
  return await withDatabase([table], async (connection) => {
    const columns = await storedColumns(connection, table, names);
    const parts = columns.map((column, at) => `${partOf(column)} AS k${at}`);
    await connection.run(
      `CREATE TEMP VIEW keys AS SELECT file_row_number AS place, ${parts.join(', ')}
         FROM read_parquet(${literal(table)}, file_row_number = true)`,
    );
    const all = columns.map((_, at) => `k${at}`);
    const isEmpty = all.map((part) => `${part} IS NULL`);
    const doubled = await connection.runAndReadAll(
      `SELECT places[1], places[2], ${all.map((part) => `${part}::VARCHAR`).join(', ')}
         FROM (SELECT min(place, 2) AS places, ${all.join(', ')} FROM keys
                WHERE NOT (${isEmpty.join(' OR ')}) GROUP BY ALL HAVING count(*) > 1)
        ORDER BY places[2] LIMIT 1`,
    );
    const empty = await connection.runAndReadAll(
      `SELECT place, ${isEmpty.join(', ')} FROM keys WHERE ${isEmpty.join(' OR ')} ORDER BY place LIMIT 1`,
    );
    const [first] = doubled.getRows();
    const [without] = empty.getRows();
    return {
      doubled:
        first === undefined
          ? null
          : { key: first.slice(2).map(String), rows: [Number(first[0]), Number(first[1])] as [number, number] },
      empty:
        without === undefined ? null : { row: Number(without[0]), column: names[without.slice(1).indexOf(true)] ?? '' },
    };
  });
}

/** What rows are told apart by; null where that is empty. */
const partOf = ({ name, type }: StoredColumn): string =>
  type === 'text' || type === 'json' ? trimmedText(name) : identifier(name);
