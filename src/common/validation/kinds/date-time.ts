import { type Kind, refuse, type Rejected } from '../kind.js';
import type { Json } from '../../../../packages/json/index.js';

/** Maximum length of a date or time. Longer strings are rejected without matching a pattern. */
const MAX_LENGTH = 100;
const TIMESTAMP = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;
const DATE_TIME =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt _](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?:[Zz]|([+\-−])(\d\d):?(\d\d))?)?$/;
/** Unix times with a larger absolute value are in milliseconds. */
const MAX_SECONDS = 2e10;
const START_OF_YEAR_0 = -62_167_219_200;
const END_OF_YEAR_9999 = 253_402_300_799;
const INTEGER_64 = 2 ** 63;
const TOO_MUCH = 'unexpected extra characters at the end of the input';

/**
 * Field kind for points in time with millisecond precision. Accepts the same input as a pydantic datetime: lax ISO 8601, a date or
 * a Unix time. The default offset is UTC.
 */
export const dateTimeKind: Kind<Date> = {
  schema: { type: 'string', format: 'date-time' },
  read(input) {
    if (typeof input === 'string') return fromText(input);
    if (typeof input !== 'number' && typeof input !== 'bigint') {
      return refuse('datetime_type', 'Input should be a valid datetime', input);
    }
    const problem = timestampProblem(Number(input));
    return problem === undefined ? fromTimestamp(Number(input), input) : refuseMoment(problem, input);
  },
};

/** Tries a datetime, then a Unix time, then a date. If all fail, reports the error for the date. */
function fromText(text: string): Date | Rejected {
  const problem = dateProblem(text);
  if (text.length > MAX_LENGTH) return refuseDate(problem ?? TOO_MUCH, text);
  const parts = DATE_TIME.exec(text);
  if (parts !== null && problem === undefined && isTime(parts)) return fromParts(parts, text);
  if (TIMESTAMP.test(text) && Math.abs(Number(text)) < INTEGER_64) {
    const outside = timestampProblem(Number(text));
    if (outside === undefined) return fromTimestamp(Number(text), text);
    if (!text.includes('.')) return refuseDate(outside, text);
  }
  return refuseDate(problem ?? TOO_MUCH, text);
}

function fromParts(parts: RegExpExecArray, input: Json): Date | Rejected {
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map((part) => Number(part || 0)) as Six;
  if (year === 0) return yearZero(input);
  const [fraction = '', sign, offsetHours = 0, offsetMinutes = 0] = parts.slice(7);
  const offset = (sign === '+' ? 1 : -1) * (Number(offsetHours) * 60 + Number(offsetMinutes));
  const moment = new Date(0);
  moment.setUTCFullYear(year, month - 1, day);
  moment.setUTCHours(hour, minute - offset, second, Number(fraction.slice(0, 3).padEnd(3, '0')));
  // An offset must not move the year beyond four digits.
  return moment.getTime() > END_OF_YEAR_9999 * 1000 ? new Date(END_OF_YEAR_9999 * 1000) : moment;
}

type Six = [number, number, number, number, number, number];

/** Whether hour, minute, second and offset are in range. */
function isTime(parts: RegExpExecArray): boolean {
  const [hour = 0, minute = 0, second = 0] = parts.slice(4, 7).map((part) => Number(part || 0));
  const [offsetHours = 0, offsetMinutes = 0] = parts.slice(9).map((part) => Number(part || 0));
  return hour < 24 && minute < 60 && second < 60 && offsetHours < 24 && offsetMinutes < 60;
}

function timestampProblem(timestamp: number): string | undefined {
  const seconds = Math.floor(timestamp / (Math.abs(timestamp) > MAX_SECONDS ? 1000 : 1));
  if (seconds < START_OF_YEAR_0) return 'dates before 0000 are not supported as unix timestamps';
  return seconds > END_OF_YEAR_9999 ? 'dates after 9999 are not supported as unix timestamps' : undefined;
}

function fromTimestamp(timestamp: number, input: Json): Date | Rejected {
  const moment = new Date(Math.floor(timestamp * (Math.abs(timestamp) > MAX_SECONDS ? 1 : 1000)));
  return moment.getUTCFullYear() === 0 ? yearZero(input) : moment;
}

/** Returns speedate's error for the first ten bytes as `YYYY-MM-DD`. Ignores the rest of the string. */
function dateProblem(text: string): string | undefined {
  const bytes = Buffer.from(text.slice(0, 10)).toString('latin1');
  if (bytes.length < 10) return 'input is too short';
  const digits = (from: number, to: number): boolean => /^\d+$/.test(bytes.slice(from, to));
  if (!digits(0, 4)) return 'invalid character in year';
  if (bytes[4] !== '-') return 'invalid date separator, expected `-`';
  if (!digits(5, 7)) return 'invalid character in month';
  if (bytes[7] !== '-') return 'invalid date separator, expected `-`';
  if (!digits(8, 10)) return 'invalid character in day';
  const [year, month, day] = [bytes.slice(0, 4), bytes.slice(5, 7), bytes.slice(8, 10)].map(Number) as [
    number,
    number,
    number,
  ];
  if (month < 1 || month > 12) return 'month value is outside expected range of 1-12';
  // The calendar repeats every 400 years. Date.UTC interprets years below 100 differently.
  const lastDay = new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
  return day < 1 || day > lastDay ? 'day value is outside expected range' : undefined;
}

const refuseDate = (error: string, input: Json): Rejected =>
  refuse('datetime_from_date_parsing', `Input should be a valid datetime or date, ${error}`, input, { error });

const refuseMoment = (error: string, input: Json): Rejected =>
  refuse('datetime_parsing', `Input should be a valid datetime, ${error}`, input, { error });

const yearZero = (input: Json): Rejected => refuseMoment('year 0 is out of range', input);
