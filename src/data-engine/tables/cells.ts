import {
  DuckDBArrayValue,
  DuckDBBlobValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBMapValue,
  type DuckDBResult,
  DuckDBStructValue,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampSecondsValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBTimeTZValue,
  type DuckDBType,
  DuckDBTypeId,
  DuckDBUnionValue,
  type DuckDBValue,
  DuckDBVariantValue,
} from '@duckdb/node-api';
import { isJsonObject, type Json } from '../../platform/json/json.js';
import { parseJson } from '../../platform/json/parse-json.js';
import { type Cell, type ColumnType, TaskProblem } from '../tasks.js';
import { MAX_COLUMNS } from '../limits.js';

/** Most bytes of JSON of the rows of an answer. */
export const MAX_ANSWER_BYTES = 8 * 1024 ** 2;

const INTEGERS: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.TINYINT,
  DuckDBTypeId.SMALLINT,
  DuckDBTypeId.INTEGER,
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.UTINYINT,
  DuckDBTypeId.USMALLINT,
  DuckDBTypeId.UINTEGER,
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.UHUGEINT,
  DuckDBTypeId.BIGNUM,
]);

/** What clients are told of a type of DuckDB. */
export function columnType(type: DuckDBType): ColumnType {
  if (INTEGERS.has(type.typeId)) return 'integer';
  switch (type.typeId) {
    case DuckDBTypeId.FLOAT:
    case DuckDBTypeId.DOUBLE:
    case DuckDBTypeId.DECIMAL:
      return 'number';
    case DuckDBTypeId.BOOLEAN:
      return 'boolean';
    case DuckDBTypeId.DATE:
      return 'date';
    case DuckDBTypeId.TIME:
    case DuckDBTypeId.TIME_TZ:
    case DuckDBTypeId.TIME_NS:
      return 'time';
    case DuckDBTypeId.TIMESTAMP:
    case DuckDBTypeId.TIMESTAMP_S:
    case DuckDBTypeId.TIMESTAMP_MS:
    case DuckDBTypeId.TIMESTAMP_NS:
    case DuckDBTypeId.TIMESTAMP_TZ:
      return 'timestamp';
    case DuckDBTypeId.LIST:
    case DuckDBTypeId.ARRAY:
    case DuckDBTypeId.STRUCT:
    case DuckDBTypeId.MAP:
    case DuckDBTypeId.UNION:
    case DuckDBTypeId.VARIANT:
      return 'json';
    default:
      return isJson(type) ? 'json' : 'text';
  }
}

const isJson = (type: DuckDBType): boolean => type.alias === 'JSON';

/** Rows of an answer, up to a number of them and of bytes. */
export interface Rows {
  columns: { name: string; type: ColumnType }[];
  /** JSON of the list of rows. */
  rows: string;
  /** Why rows are missing. */
  cut: 'rows' | 'bytes' | null;
}

/** Reads the first rows of a result. */
export async function readRows(result: DuckDBResult, limit: number, maxBytes = MAX_ANSWER_BYTES): Promise<Rows> {
  const types = result.columnTypes();
  const columns = result.columnNames().map((name, index) => ({ name, type: columnType(types[index]!) }));
  const rows: string[] = [];
  const answer = (cut: Rows['cut']): Rows => ({ columns, rows: `[${rows.join(',')}]`, cut });
  let bytes = Buffer.byteLength(JSON.stringify(columns));
  if (columns.length > MAX_COLUMNS || bytes > MAX_ANSWER_BYTES / 8)
    throw new TaskProblem('invalid_sql', `An answer has at most ${MAX_COLUMNS} columns, with names of 1 MiB together`);
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) return answer(null);
    for (let index = 0; index < chunk.rowCount; index++) {
      if (rows.length === limit) return answer('rows');
      const row = JSON.stringify(chunk.getRowValues(index).map((value, column) => cell(value, types[column])));
      bytes += Buffer.byteLength(row) + 1;
      if (bytes > maxBytes) return answer('bytes');
      rows.push(row);
    }
  }
}

/** A value as clients get it. */
function cell(value: DuckDBValue, type: DuckDBType | undefined): Cell {
  if (value === null) return null;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return numberCell(value);
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  if (typeof value === 'string') return type !== undefined && isJson(type) ? jsonCell(value) : value.toWellFormed();
  if (value instanceof DuckDBDecimalValue) return numberCell(Number(value.toString()));
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue)
    return value.items.map((item) => cell(item, itemType(type)));
  if (value instanceof DuckDBStructValue)
    return objectOf(Object.entries(value.entries).map(([name, entry]) => [name, cell(entry, undefined)]));
  if (value instanceof DuckDBMapValue)
    return objectOf(
      value.entries.map(({ key, value: entry }) => [keyOf(cell(key, undefined)), cell(entry, undefined)]),
    );
  if (value instanceof DuckDBUnionValue || value instanceof DuckDBVariantValue) return cell(value.value, undefined);
  if (value instanceof DuckDBBlobValue) return Buffer.from(value.bytes).toString('base64');
  if (value instanceof DuckDBTimestampTZValue)
    return isoTimestamp(new DuckDBTimestampValue(value.micros).toString(), 'Z');
  if (
    value instanceof DuckDBTimestampValue ||
    value instanceof DuckDBTimestampSecondsValue ||
    value instanceof DuckDBTimestampMillisecondsValue ||
    value instanceof DuckDBTimestampNanosecondsValue
  )
    return isoTimestamp(value.toString(), '');
  if (value instanceof DuckDBTimeTZValue) return value.toString().replace(/([+-]\d\d)$/, '$1:00');
  return value.toString().toWellFormed();
}

const itemType = (type: DuckDBType | undefined): DuckDBType | undefined =>
  type !== undefined && 'valueType' in type ? type.valueType : undefined;

const numberCell = (value: number): Cell => (Number.isFinite(value) ? value + 0 : String(value));

const isoTimestamp = (text: string, zone: string): string =>
  /^\d/.test(text) && !text.endsWith('(BC)') ? text.replace(' ', 'T') + zone : text;

/** A plain object: what DuckDB's values are called is the user's choice, `__proto__` included. */
const objectOf = (entries: [string, Cell][]): { [name: string]: Cell } => Object.fromEntries(entries);

const keyOf = (key: Cell): string => (typeof key === 'string' ? key : JSON.stringify(key));

/** JSON that cannot be read within bounds stays a text. */
function jsonCell(text: string): Cell {
  try {
    return fromJson(parseJson(text));
  } catch {
    return text.toWellFormed();
  }
}

function fromJson(json: Json): Cell {
  if (typeof json === 'bigint') return json.toString();
  if (Array.isArray(json)) return json.map(fromJson);
  if (isJsonObject(json)) return objectOf(Array.from(json, ([name, member]) => [name, fromJson(member)]));
  return json;
}
