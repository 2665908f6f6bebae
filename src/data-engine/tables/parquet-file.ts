import { type ColumnType, TaskProblem } from '../tasks.js';
import { columnNames } from './column-names.js';
import { MAX_COLUMNS, MAX_ROWS } from '../limits.js';
import { identifier, literal } from '../sql-text.js';
import type { ParquetWriter } from './parquet-writer.js';

/** A query whose columns have the names and types of a table. */
export interface ParquetTable {
  query: string;
  types: { name: string; type: ColumnType }[];
  rows: number;
}

/** Types of DuckDB whose values may be too large for BIGINT. */
const LARGE_INTEGERS = new Set(['UBIGINT', 'HUGEINT', 'UHUGEINT']);
const LARGEST_INTEGER = '9223372036854775807';

/**
 * The table of a Parquet file, its types as ours: all integers BIGINT (text, when one is larger), decimals and floats DOUBLE, times
 * with a zone in UTC, lists and structs JSON, everything else text. NaN and infinities are nulls.
 *
 * @throws TaskProblem `unreadable`
 */
export async function readParquet(writer: ParquetWriter, from: string): Promise<ParquetTable> {
  const path = literal(from);
  const described = await writer.run(`DESCRIBE FROM read_parquet(${path})`);
  const columns = described.getRows().map(([name, type]) => ({ given: String(name), stored: String(type) }));
  if (columns.length > MAX_COLUMNS)
    throw new TaskProblem('unreadable', `The file has more than ${MAX_COLUMNS} columns`);
  const counted = await writer.run(`FROM read_parquet(${path}) SELECT count(*)`);
  const rows = Number(counted.getRows()[0]![0]);
  if (rows > MAX_ROWS) throw new TaskProblem('unreadable', `The file has more than ${MAX_ROWS} rows`);
  const large = columns.filter(({ stored }) => LARGE_INTEGERS.has(stored));
  const tooLarge = new Set<string>();
  for (const { given } of large) {
    const value = identifier(given);
    const limits = await writer.run(
      `FROM read_parquet(${path}) SELECT coalesce(max(${value}) > ${LARGEST_INTEGER} OR min(${value}) < -${LARGEST_INTEGER}, false)`,
    );
    if (limits.getRows()[0]![0] === true) tooLarge.add(given);
  }
  const names = columnNames(columns.map(({ given }) => given));
  const types: ParquetTable['types'] = [];
  const values = columns.map(({ given, stored }, index) => {
    const name = names[index]!;
    const { type, value } = tooLarge.has(given) ? textOf(identifier(given)) : valueOf(identifier(given), stored);
    types.push({ name, type });
    return `${value} AS ${identifier(name)}`;
  });
  return { query: `FROM read_parquet(${path}) SELECT ${values.join(', ')}`, types, rows };
}

const textOf = (column: string) => ({ type: 'text' as const, value: `${column}::VARCHAR` });

/** What a column of a type of DuckDB is for us. */
function valueOf(column: string, stored: string): { type: ColumnType; value: string } {
  const finite = `CASE WHEN isfinite(${column}) THEN ${column} END`;
  switch (stored) {
    case 'TINYINT':
    case 'SMALLINT':
    case 'INTEGER':
    case 'BIGINT':
    case 'UTINYINT':
    case 'USMALLINT':
    case 'UINTEGER':
    case 'UBIGINT':
    case 'HUGEINT':
    case 'UHUGEINT':
      return { type: 'integer', value: `${column}::BIGINT` };
    case 'FLOAT':
    case 'DOUBLE':
      return { type: 'number', value: `(${finite})::DOUBLE` };
    case 'BOOLEAN':
      return { type: 'boolean', value: column };
    case 'DATE':
      return { type: 'date', value: finite };
    case 'TIME':
    case 'TIME_NS':
    case 'TIME WITH TIME ZONE':
      return { type: 'time', value: `${column}::TIME` };
    case 'TIMESTAMP':
    case 'TIMESTAMP_S':
    case 'TIMESTAMP_MS':
    case 'TIMESTAMP_NS':
      return { type: 'timestamp', value: `CASE WHEN isfinite(${column}::TIMESTAMP) THEN ${column}::TIMESTAMP END` };
    case 'TIMESTAMP WITH TIME ZONE':
      return { type: 'timestamp', value: `(${finite}) AT TIME ZONE 'UTC'` };
    case 'JSON':
      return { type: 'json', value: column };
    default:
      if (stored.startsWith('DECIMAL')) return { type: 'number', value: `${column}::DOUBLE` };
      // Lists end in brackets, whatever they are of.
      if (stored.endsWith(']') || /^(?:STRUCT|MAP|UNION|VARIANT)/.test(stored)) {
        return { type: 'json', value: `to_json(${column})` };
      }
      return textOf(column);
  }
}
