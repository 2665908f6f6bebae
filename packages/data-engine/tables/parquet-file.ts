import { type ColumnType, TaskProblem } from '../tasks.js';
import { MAX_COLUMNS, MAX_DIGITS, MAX_ROWS } from '../limits.js';
import { identifier, literal, parquetRows } from '../sql-text.js';
import { columnNames } from './column-names.js';
import type { ParquetWriter } from './parquet-writer.js';

/** Query that returns a table, with the column types of its result. */
export interface ParquetTable {
  query: string;
  types: { name: string; type: ColumnType }[];
  /** Column names as they are in the file. */
  rawNames: string[];
  rows: number;
}

/** Integer types whose values may have more digits than a double can hold. */
const LARGE_INTEGERS = new Set(['BIGINT', 'UBIGINT', 'HUGEINT', 'UHUGEINT']);
/** Smallest integer with more digits than a double always holds. */
const FIRST_LONG = `1${'0'.repeat(MAX_DIGITS)}`;
const FLOATS = new Set(['FLOAT', 'DOUBLE']);
const DECIMAL = /^DECIMAL\((\d+),(\d+)\)$/;
/**
 * Maximum number of digits in a decimal that DuckDB can read. DuckDB reports longer decimals as DOUBLE and reads wrong values.
 */
const MAX_DECIMAL_DIGITS = 38;

/** Types whose values may be infinite. */
const MAY_BE_INFINITE = /^(?:FLOAT|DOUBLE|DATE|TIMESTAMP.*)$/;

/**
 * Returns the query that reads the table of a Parquet file. Integers are BIGINT, decimals and floats are DOUBLE, and times with
 * a zone are in UTC. Lists and structs are JSON, and all other types are text. A column also becomes text if it contains
 * infinity, nanoseconds, or a number with more digits than a double holds. NaN is null, because pandas writes it for missing
 * values. Decimals that DuckDB cannot read and maps with repeated keys are rejected.
 *
 * @throws TaskProblem `unreadable`
 */
export async function readParquet(writer: ParquetWriter, from: string): Promise<ParquetTable> {
  const source = parquetRows(from);
  const wide = await wideDecimalColumn(writer, from);
  if (wide !== undefined) {
    const sentence = `The column ${JSON.stringify(wide)} has decimals with more than ${MAX_DECIMAL_DIGITS} digits`;
    throw new TaskProblem('unreadable', `${sentence}. Save them as texts or with fewer digits`);
  }
  const described = await writer.run(`DESCRIBE FROM ${source}`);
  const columns = described.getRows().map(([name, type]) => ({ given: String(name), stored: String(type) }));
  if (columns.length > MAX_COLUMNS)
    throw new TaskProblem('unreadable', `The file has more than ${MAX_COLUMNS} columns`);
  const counted = await writer.run(`FROM ${source} SELECT count(*)`);
  const rows = Number(counted.getRows()[0]![0]);
  if (rows > MAX_ROWS) throw new TaskProblem('unreadable', `The file has more than ${MAX_ROWS} rows`);
  const conditions = columns.map(({ given, stored }) => inexactCondition(identifier(given), stored));
  const [isInexact = []] = (await writer.run(`FROM ${source} SELECT ${conditions.join(', ')}`)).getRows();
  const maps = columns.filter(({ stored }) => stored.includes('MAP('));
  for (const { given } of maps) await refuseRepeatedKeys(writer, source, given);
  const rawNames = columns.map(({ given }) => given);
  const names = columnNames(rawNames);
  const types: ParquetTable['types'] = [];
  const values = columns.map(({ given, stored }, index) => {
    const name = names[index]!;
    const { type, value } = (isInexact[index] === true ? textOf : valueOf)(identifier(given), stored);
    types.push({ name, type });
    return `${value} AS ${identifier(name)}`;
  });
  return { query: `FROM ${source} SELECT ${values.join(', ')}`, types, rawNames, rows };
}

/** Returns the first column that contains a decimal type with too many digits. The type may be nested in a struct or a list. */
async function wideDecimalColumn(writer: ParquetWriter, path: string): Promise<string | undefined> {
  const digits = "coalesce(precision, TRY_CAST(regexp_extract(logical_type, 'precision=(\\d+)', 1) AS BIGINT), 0)";
  const schema = await writer.run(
    `FROM parquet_schema(${literal(path)}) SELECT name, coalesce(num_children, 0), ${digits}`,
  );
  const [, ...elements] = schema.getRows();
  let column = '';
  // In the schema, elements follow their parent. `open` counts the remaining elements of the current column.
  let open = 0;
  for (const [name, children, precision] of elements) {
    if (open === 0) column = String(name);
    open = Math.max(open, 1) - 1 + Number(children);
    if (Number(precision) > MAX_DECIMAL_DIGITS) return column;
  }
  return undefined;
}

/** Rejects maps with repeated keys, because a JSON object would keep only one of their values. */
async function refuseRepeatedKeys(writer: ParquetWriter, source: string, originalName: string): Promise<void> {
  const nodes = `json_tree(to_json(${identifier(originalName)}))`;
  const repeated = `SELECT key FROM ${nodes} GROUP BY parent, key HAVING count(*) > 1 LIMIT 1`;
  const repetition = await writer.run(`FROM ${source} SELECT any_value((${repeated}))`);
  const key = repetition.getRows()[0]![0];
  if (key === null || key === undefined) return;
  const sentence = `The column ${JSON.stringify(originalName)} has a map with the key ${JSON.stringify(key)} twice`;
  throw new TaskProblem('unreadable', `${sentence}. Save its entries as a list`);
}

/** Returns an SQL condition that is true if the column type cannot hold some values exactly. */
function inexactCondition(column: string, stored: string): string {
  const [, width = 0, scale = 0] = (DECIMAL.exec(stored) ?? []).map(Number);
  const mayBeLong = LARGE_INTEGERS.has(stored) || width - scale > MAX_DIGITS;
  const conditions = mayBeLong ? [`max(${column}) >= ${FIRST_LONG}`, `min(${column}) <= -${FIRST_LONG}`] : [];
  // A decimal is exact if its double has the same digits when printed.
  if (width > MAX_DIGITS)
    conditions.push(`bool_or(TRY_CAST(${nearest(column)}::VARCHAR AS ${stored}) IS DISTINCT FROM ${column})`);
  if (MAY_BE_INFINITE.test(stored)) conditions.push(`bool_or(isinf(${instantOf(column, stored)}))`);
  // Times are stored in microseconds.
  const micros = { TIMESTAMP_NS: 'TIMESTAMP', TIME_NS: 'TIME' }[stored];
  if (micros !== undefined) conditions.push(`bool_or(${column}::${micros}::${stored} IS DISTINCT FROM ${column})`);
  return conditions.length > 0 ? conditions.join(' OR ') : 'bool_or(false)';
}

/** Casts timestamps with a zone, because date functions do not accept all units. */
const instantOf = (column: string, stored: string): string =>
  stored.startsWith('TIMESTAMP_') ? `${column}::TIMESTAMP` : column;

/** Returns SQL for the double nearest to a decimal. A direct cast of many digits would round twice. */
const nearest = (column: string): string => `${column}::VARCHAR::DOUBLE`;

const textOf = (column: string, stored: string): { type: ColumnType; value: string } => {
  const text = `${column}::VARCHAR`;
  return { type: 'text', value: FLOATS.has(stored) ? `CASE WHEN isnan(${column}) THEN NULL ELSE ${text} END` : text };
};

/** Returns the column type and SQL value for a DuckDB type. */
function valueOf(column: string, stored: string): { type: ColumnType; value: string } {
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
      return { type: 'number', value: `(CASE WHEN isnan(${column}) THEN NULL ELSE ${column} END)::DOUBLE` };
    case 'BOOLEAN':
      return { type: 'boolean', value: column };
    case 'DATE':
      return { type: 'date', value: column };
    case 'TIME':
    case 'TIME_NS':
    case 'TIME WITH TIME ZONE':
      return { type: 'time', value: `${column}::TIME` };
    case 'TIMESTAMP':
    case 'TIMESTAMP_S':
    case 'TIMESTAMP_MS':
    case 'TIMESTAMP_NS':
      return { type: 'timestamp', value: `${column}::TIMESTAMP` };
    case 'TIMESTAMP WITH TIME ZONE':
      return { type: 'timestamp', value: `${column} AT TIME ZONE 'UTC'` };
    case 'JSON':
      return { type: 'json', value: column };
    default:
      if (DECIMAL.test(stored)) return { type: 'number', value: nearest(column) };
      // `to_json` would turn a variant into a string. JSON null counts as a missing value.
      if (/\bVARIANT\b/.test(stored)) return { type: 'json', value: `nullif(${column}::JSON, 'null'::JSON)` };
      // List types end in brackets, regardless of their element type.
      if (stored.endsWith(']') || /^(?:STRUCT|MAP|UNION)/.test(stored)) {
        return { type: 'json', value: `to_json(${column})` };
      }
      return textOf(column, stored);
  }
}
