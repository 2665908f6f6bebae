import { type ColumnType, TaskProblem } from '../tasks.js';
import { columnNames } from './column-names.js';
import { MAX_COLUMNS, MAX_INTEGER_DIGITS, MAX_ROWS } from '../limits.js';
import { identifier, literal } from '../sql-text.js';
import type { ParquetWriter } from './parquet-writer.js';

/** A query whose columns have the names and types of a table. */
export interface ParquetTable {
  query: string;
  types: { name: string; type: ColumnType }[];
  rows: number;
}

/** Types of DuckDB whose values may have too many digits, as decimals may. */
const LARGE_INTEGERS = new Set(['BIGINT', 'UBIGINT', 'HUGEINT', 'UHUGEINT']);
/** Largest number of so many digits. */
const LARGEST_INTEGER = '9'.repeat(MAX_INTEGER_DIGITS);

/**
 * The table of a Parquet file, its types as ours: all integers BIGINT, decimals and floats DOUBLE, times with a zone in UTC, lists and structs JSON, everything else text. A column of integers or
 * decimals is text if one of them has more than 15 digits before the decimal sign. NaN and infinities are nulls.
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
  const large = columns.filter(({ stored }) => isLarge(stored)).map(({ given }) => given);
  const limits = large
    .map(identifier)
    .map((value) => `max(${value}) > ${LARGEST_INTEGER} OR min(${value}) < -${LARGEST_INTEGER}`);
  const [areTooLarge = []] =
    large.length === 0 ? [] : (await writer.run(`FROM read_parquet(${path}) SELECT ${limits.join(', ')}`)).getRows();
  const tooLarge = new Set(large.filter((_, index) => areTooLarge[index] === true));
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

function isLarge(stored: string): boolean {
  const [, width, scale] = /^DECIMAL\((\d+),(\d+)\)$/.exec(stored) ?? [];
  return LARGE_INTEGERS.has(stored) || Number(width) - Number(scale) > MAX_INTEGER_DIGITS;
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
