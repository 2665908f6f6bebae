import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  DuckDBTypeId,
  type DuckDBType,
  type DuckDBValue,
  HUGEINT,
  VARCHAR,
} from '@duckdb/node-api';
import { type ColumnType, TaskProblem } from '../tasks.js';

/** Plural noun for each type, used in messages. */
export const PLURALS: Record<ColumnType, string> = {
  integer: 'integers',
  number: 'numbers',
  boolean: 'true or false',
  date: 'dates, such as "2026-01-31"',
  time: 'times, such as "08:30:00"',
  timestamp: 'dates with times, such as "2026-01-31T08:30:00"',
  text: 'texts',
  json: 'lists or objects',
};

/** SQL fragment with a single parameter. */
interface Parameter {
  sql: string;
  value: DuckDBValue;
  type: DuckDBType;
}

/** Column with which a filter compares its value. */
interface ComparedColumn {
  type: ColumnType;
  typeId?: DuckDBTypeId;
}

/**
 * Converts a value to a parameter that can be compared with a column.
 * @throws TaskProblem `invalid_query` if the types do not match
 */
export function comparedValue(value: unknown, column: ComparedColumn, loc: (string | number)[]): Parameter {
  const parameter = parameterOf(value, column);
  if (parameter !== undefined) return parameter;
  const sentence =
    value === null || value === undefined
      ? 'A value is required. To find rows without a value, use empty'
      : typeof value === 'bigint' && column.type === 'number'
        ? 'The value has too many digits. Use at most 15 digits'
        : `The type of the value does not match the column, whose values are ${PLURALS[column.type]}`;
  throw new TaskProblem('invalid_query', sentence, { loc });
}

const INTEGER_TEXT = /^-?\d{1,38}$/;
/** Numbers that JSON cannot represent. */
const SPECIAL = new Map([
  ['NaN', NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
]);

function parameterOf(value: unknown, { type, typeId }: ComparedColumn): Parameter | undefined {
  const isText = typeof value === 'string';
  switch (type) {
    case 'integer':
      if (Number.isSafeInteger(value)) return { sql: '?', value: BigInt(value as number), type: BIGINT };
      if (INTEGER_TEXT.test(digitsOf(value))) return { sql: '?', value: BigInt(digitsOf(value)), type: HUGEINT };
      return typeof value === 'number' || typeof value === 'bigint'
        ? { sql: '?', value: Number(value), type: DOUBLE }
        : undefined;
    case 'number': {
      const number = isText ? SPECIAL.get(value) : typeof value === 'bigint' ? exactNumber(value) : value;
      return typeof number === 'number' ? { sql: '?', value: number, type: DOUBLE } : undefined;
    }
    case 'boolean':
      return typeof value === 'boolean' ? { sql: '?', value, type: BOOLEAN } : undefined;
    case 'text':
      return isText ? { sql: '?', value, type: VARCHAR } : undefined;
    case 'date':
      return isText && isDate(value) ? { sql: 'CAST(? AS DATE)', value, type: VARCHAR } : undefined;
    case 'time':
      return isText && isTime(value) ? { sql: 'CAST(? AS TIME)', value, type: VARCHAR } : undefined;
    case 'timestamp': {
      const kind = typeId === DuckDBTypeId.TIMESTAMP_TZ ? 'TIMESTAMPTZ' : 'TIMESTAMP';
      return isText && isTimestamp(value) ? { sql: `CAST(? AS ${kind})`, value, type: VARCHAR } : undefined;
    }
    case 'json':
      return undefined;
  }
}

/** Returns the digits of an integer, which DuckDB compares exactly, or an empty string for other values. */
function digitsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'bigint' || Number.isInteger(value) ? BigInt(value as bigint | number).toString() : '';
}

/** Returns the double with exactly the given digits or notation, or undefined if there is no such double. */
function exactNumber(digits: bigint): number | undefined {
  const number = Number(digits);
  return Number.isFinite(number) && (BigInt(number) === digits || String(number) === digits.toString())
    ? number
    : undefined;
}

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME = /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?$/;

function isDate(value: string): boolean {
  const [, year, month, day] = DATE.exec(value) ?? [];
  if (year === undefined || Number(year) === 0) return false;
  const date = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day);
}

const isTime = (value: string): boolean => TIME.test(value);

/** Returns true if a value is a valid timestamp. A date counts as midnight at the start of that day. */
function isTimestamp(value: string): boolean {
  const time = value.slice(11).replace(/Z$/, '');
  return isDate(value.slice(0, 10)) && (value.length === 10 || (/^[T ]$/.test(value.charAt(10)) && isTime(time)));
}
