import {
  DuckDBArrayValue,
  DuckDBBlobValue,
  DuckDBBlobVector,
  type DuckDBDataChunk,
  DuckDBDateValue,
  DuckDBDecimalValue,
  type DuckDBListType,
  DuckDBListValue,
  DuckDBListVector,
  DuckDBMapValue,
  type DuckDBResult,
  type DuckDBStructType,
  DuckDBStructValue,
  DuckDBStructVector,
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
  DuckDBVarCharVector,
  DuckDBVariantValue,
  type DuckDBVector,
} from '@duckdb/node-api';
import { isJsonObject, type Json, parseJson } from '../../json/index.js';
import { type Cell, type ColumnType, TaskProblem } from '../tasks.js';
import { MAX_COLUMNS } from '../limits.js';
import { isExactDecimal, isExactNumber } from './exact-numbers.js';

/** Maximum number of JSON bytes in the rows of a result. */
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

/** Returns the column type that clients see for a DuckDB type. */
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

/** Result rows, limited in number and size. */
export interface Rows {
  columns: { name: string; type: ColumnType }[];
  /** Rows as a JSON array. */
  rows: string;
  /** Limit that cut off the rows. Null if all rows were returned. */
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
    throw new TaskProblem(
      'invalid_sql',
      `A result can have at most ${MAX_COLUMNS} columns, with names of at most 1 MiB in total`,
    );
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) return answer(null);
    for (let index = 0; index < chunk.rowCount; index++) {
      if (rows.length === limit) return answer('rows');
      const row = readRow(chunk, index, types, maxBytes - bytes);
      if (row === undefined) return answer('bytes');
      bytes += Buffer.byteLength(row) + 1;
      rows.push(row);
    }
  }
}

/** Returns a row as JSON, or undefined if the JSON would be too long. */
function readRow(
  chunk: DuckDBDataChunk,
  index: number,
  types: readonly DuckDBType[],
  maxBytes: number,
): string | undefined {
  const budget = new ByteBudget(maxBytes);
  try {
    const cells = types.map((type, column) => cellAt(chunk.getColumnVector(column), index, type, budget));
    const row = JSON.stringify(cells);
    return Buffer.byteLength(row) < maxBytes ? row : undefined;
  } catch (error) {
    if (error instanceof BudgetExceeded) return undefined;
    throw error;
  }
}

class BudgetExceeded extends Error {}

/**
 * JSON bytes that remain for a row. The minimum size of each value is subtracted before the value is read, so oversized values
 * are never read.
 */
class ByteBudget {
  constructor(private remaining: number) {}

  /** @throws BudgetExceeded */
  take(bytes: number): void {
    this.remaining -= bytes;
    if (this.remaining < 0) throw new BudgetExceeded();
  }
}

/** Size of an entry in a text vector, in bytes. The entry starts with the length as a 32-bit integer. */
const TEXT_ENTRY_BYTES = 16;

/** Returns a value as clients receive it. Lists and structs are read element by element. */
function cellAt(vector: DuckDBVector, index: number, type: DuckDBType, budget: ByteBudget): Cell {
  budget.take(Math.max(1, textBytes(vector, index)));
  if (vector instanceof DuckDBListVector) {
    const items = vector.getItemVector(index);
    const { valueType } = type as DuckDBListType;
    return items && Array.from({ length: items.itemCount }, (_, item) => cellAt(items, item, valueType, budget));
  }
  if (vector instanceof DuckDBStructVector) {
    if (!vector.isItemValid(index)) return null;
    const { entryNames, entryTypes } = type as DuckDBStructType;
    const values = entryTypes.map((entryType, entry) => cellAt(vector.entryVectorAt(entry), index, entryType, budget));
    // The entries of ROW(1, 2) have no names.
    if (entryNames.every((name) => name === '')) return values;
    return objectOf(entryNames.map((name, entry) => [name, values[entry]!]));
  }
  return cell(vector.getItem(index), type);
}

/**
 * Returns the byte length of a string or blob, and 0 for other types. The library itself cannot report the length without
 * creating the value.
 */
function textBytes(vector: DuckDBVector, index: number): number {
  if (!(vector instanceof DuckDBVarCharVector || vector instanceof DuckDBBlobVector)) return 0;
  const { dataView, validity } = vector as unknown as {
    dataView: DataView;
    validity: { itemValid(index: number): boolean };
  };
  return validity.itemValid(index) ? dataView.getUint32(index * TEXT_ENTRY_BYTES, true) : 0;
}

/** Converts a value that is not read element by element. */
function cell(value: DuckDBValue, type: DuckDBType | undefined): Cell {
  if (value === null) return null;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return numberCell(value);
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  if (typeof value === 'string') return type !== undefined && isJson(type) ? jsonCell(value) : value.toWellFormed();
  if (value instanceof DuckDBDecimalValue) return decimalCell(value.toString());
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
  if (value instanceof DuckDBDateValue)
    return value.isFinite ? isoDate(value.toString()) : value.days > 0 ? 'infinity' : '-infinity';
  if (value instanceof DuckDBTimeTZValue) return value.toString().replace(/([+-]\d\d)$/, '$1:00');
  return value.toString().toWellFormed();
}

const itemType = (type: DuckDBType | undefined): DuckDBType | undefined =>
  type !== undefined && 'valueType' in type ? type.valueType : undefined;

const numberCell = (value: number): Cell => (Number.isFinite(value) ? value + 0 : String(value));

/** Returns a decimal as a number, or as a string if a double cannot hold it exactly. */
const decimalCell = (text: string): Cell => (isExactDecimal(text) ? Number(text) + 0 : text);

/** Date in DuckDB's notation, such as `0044-03-15 (BC) 12:00:00`. ISO 8601 has a year 0, and six-digit years have a sign. */
const DAY = /^(\d+)(-\d\d-\d\d)( \(BC\))?/;

const isoDate = (text: string): string =>
  text.replace(DAY, (_, digits: string, day: string, beforeChrist?: string) => {
    const year = beforeChrist === undefined ? Number(digits) : 1 - Number(digits);
    if (year >= 0 && year <= 9_999) return String(year).padStart(4, '0') + day;
    return `${year < 0 ? '-' : '+'}${String(Math.abs(year)).padStart(6, '0')}${day}`;
  });

/** Returns a timestamp in ISO 8601. Infinite timestamps have no zone. */
const isoTimestamp = (text: string, zone: string): string =>
  /^\d/.test(text) ? isoDate(text).replace(' ', 'T') + zone : text;

/** Builds a plain object that is safe for any name, because users may choose names such as `__proto__`. */
const objectOf = (entries: readonly (readonly [string, Cell])[]): { [name: string]: Cell } =>
  Object.fromEntries(entries);

const keyOf = (key: Cell): string => (typeof key === 'string' ? key : JSON.stringify(key));

/** Parses JSON. Returns the string unchanged if it cannot be parsed within the limits. */
function jsonCell(text: string): Cell {
  try {
    return fromJson(parseJson(text.replace(JSON_TOKEN, exactToken)));
  } catch {
    return text.toWellFormed();
  }
}

/** String or number in JSON. */
const JSON_TOKEN = /"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*/g;

/** Quotes a fraction that a double cannot hold exactly. The parser itself preserves long integers. */
const exactToken = (token: string): string =>
  /^"|^-?\d+$/.test(token) || isExactNumber(token) ? token : JSON.stringify(token);

function fromJson(json: Json): Cell {
  if (typeof json === 'bigint') return json.toString();
  if (Array.isArray(json)) return json.map(fromJson);
  if (isJsonObject(json)) return objectOf(Array.from(json, ([name, member]) => [name, fromJson(member)]));
  return json;
}
