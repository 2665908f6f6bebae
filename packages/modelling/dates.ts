import { shortened } from './names.js';

/** Format of a column of dates, times of day, or dates with times. */
export interface DateReading {
  type: 'date' | 'time' | 'timestamp';
  /**
   * Order of day and month, or `mixed` if columns differ. If absent, the day comes first, unless only the other order results
   * in a valid date.
   */
  order?: DateOrder | 'mixed';
}
type DateOrder = 'day_first' | 'month_first';

const DAY_OR_MONTH_FIRST = /^(?<first>\d{1,2})(?<sign>[./-])(?<second>\d{1,2})\k<sign>(?<year>\d{4}|\d{2})$/;
const YEAR_FIRST = /^(?<year>\d{4})[./-](?<month>\d{1,2})[./-](?<day>\d{1,2})$/;
const COMPACT = /^(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})$/;
const SHORT_MONTH = /^(?<day>\d{1,2})[- ](?<name>[a-z]{3})[- ](?<year>\d{4})$/i;
const LONG_MONTH = /^(?<day>\d{1,2})\.? (?<name>[a-z]{3,9})\.?,? (?<year>\d{4})$/i;
const MONTH_FIRST = /^(?<name>[a-z]{3,9})\.? (?<day>\d{1,2}),? (?<year>\d{4})$/i;
const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];
const TIME =
  /^(?<hour>\d{1,2}):(?<minute>[0-5]\d)(?::(?<second>[0-5]\d)(?:\.(?<fraction>\d{1,9}))?)? ?(?<half>[ap]m)?$/i;
/** Date and time with an optional time zone. */
const TIMESTAMP =
  /^(?<day>.*\d)(?:T| +)(?<time>\d{1,2}:\d\d(?::\d\d(?:\.\d{1,9})?)?(?: ?[ap]m)?)(?<zone>Z|[+-]\d\d(?::?\d\d)?)?$/i;
const MIDNIGHT = ' 00:00:00';
/** Last two-digit year that belongs to this century. */
const LAST_SHORT_YEAR = 68;

/** Examples that are valid in every column of the type. */
const EXAMPLES = { date: '2025-03-31', time: '08:30', timestamp: '2025-03-31 08:30' };
const NOUNS = { date: 'dates', time: 'times of day', timestamp: 'dates with times' };

/** Converts a date to ISO format, such as `01.02.2025` to `2025-02-01`. Returns undefined for other strings. */
export function isoDate(text: string, order?: DateReading['order']): string | undefined {
  const { first, sign, second, year } = DAY_OR_MONTH_FIRST.exec(text)?.groups ?? {};
  if (first !== undefined && second !== undefined && year !== undefined) {
    const full = year.length === 4 ? Number(year) : Number(year) + (Number(year) <= LAST_SHORT_YEAR ? 2000 : 1900);
    const dayFirst = dateOf(full, Number(second), Number(first));
    if (sign === '.') return dayFirst;
    const monthFirst = dateOf(full, Number(first), Number(second));
    if (order === 'day_first') return dayFirst;
    if (order === 'month_first') return monthFirst;
    const isOpen = dayFirst !== undefined && monthFirst !== undefined && dayFirst !== monthFirst;
    return order === 'mixed' && isOpen ? undefined : (dayFirst ?? monthFirst);
  }
  return namedDate(SHORT_MONTH.exec(text)) ?? numberedDate(YEAR_FIRST.exec(text));
}

/** Converts a date or time to the format of a column's cells. Returns undefined for other strings. */
export function cellOf(text: string, { type, order }: DateReading): string | undefined {
  if (type === 'time') return timeOf(text);
  const day = isoDate(text, order);
  if (type === 'date') return day;
  return day === undefined ? momentOf(text, order) : `${day}${MIDNIGHT}`;
}

/**
 * Converts a string in a comparison to the format of the column's cells. Returns undefined if the string is not a date or time
 * of the column's type. In a timestamp column, a date means midnight. The empty string matches empty cells.
 */
export function literalOf(text: string, reading: DateReading): string | undefined {
  if (text === '' || reading.type === 'time') return text === '' ? text : timeOf(text);
  const { type, order } = reading;
  const named = namedDate(LONG_MONTH.exec(text) ?? MONTH_FIRST.exec(text));
  const date = isoDate(text, order) ?? named ?? numberedDate(COMPACT.exec(text));
  const moment = date === undefined ? momentOf(text, order) : `${date}${MIDNIGHT}`;
  return type === 'date' && moment?.endsWith(MIDNIGHT) === true ? moment.slice(0, -MIDNIGHT.length) : moment;
}

/** Explains that a string cannot be compared with a column. The sentence has no full stop. */
export const dateProblem = (text: string, columnName: string, { type }: DateReading): string =>
  `${shortened(columnName)} contains ${NOUNS[type]}, but "${shortened(text)}" cannot be read as one: write it like "${EXAMPLES[type]}"`;

/** Returns midnight at the start of a date, in the format of a timestamp column. */
export const firstMoment = (date: string): string => (isoDate(date) === undefined ? date : `${date}${MIDNIGHT}`);

/** Merges the formats of several columns into one format per type. */
export function mergedReadings(readings: Iterable<DateReading>): DateReading[] {
  const all = [...readings];
  const orders = new Set(all.flatMap(({ order }) => order ?? []));
  const [first] = orders;
  const order = orders.size > 1 ? 'mixed' : first;
  return (['date', 'timestamp', 'time'] as const).flatMap((type) =>
    all.some((one) => one.type === type) ? [{ type, ...(order !== undefined && { order }) }] : [],
  );
}

function timeOf(text: string): string | undefined {
  const { hour, minute, second = '00', fraction = '', half } = TIME.exec(text)?.groups ?? {};
  if (hour === undefined || minute === undefined) return undefined;
  const isHalf = half !== undefined;
  if (Number(hour) > (isHalf ? 12 : 23) || (isHalf && Number(hour) === 0)) return undefined;
  const hours = isHalf ? (Number(hour) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0) : Number(hour);
  const rest = fraction.replace(/(?<!0)0+$/, '');
  return `${String(hours).padStart(2, '0')}:${minute}:${second}${rest === '' ? '' : `.${rest}`}`;
}

/** Converts a date with a time to ISO format. A time with a zone is converted to UTC. */
function momentOf(text: string, order: DateReading['order']): string | undefined {
  const { day, time, zone } = TIMESTAMP.exec(text)?.groups ?? {};
  const date = day === undefined ? undefined : isoDate(day, order);
  const clock = time === undefined ? undefined : timeOf(time);
  if (date === undefined || clock === undefined) return undefined;
  if (zone === undefined) return `${date} ${clock}`;
  const [, sign, hours, minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? ['', '+', '0'];
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? 1 : -1);
  const moment = new Date(Date.parse(`${date}T${clock.slice(0, 8)}Z`) + offset * 60_000);
  return `${moment.toISOString().slice(0, 19).replace('T', ' ')}${clock.slice(8)}`;
}

function namedDate(match: RegExpExecArray | null): string | undefined {
  const { day, name = '', year } = match?.groups ?? {};
  const word = name.toLowerCase();
  const month = MONTHS.findIndex(
    (one) => one === word || one.slice(0, 3) === word || (word === 'sept' && one.startsWith(word)),
  );
  return day === undefined ? undefined : dateOf(Number(year), month + 1, Number(day));
}

function numberedDate(match: RegExpExecArray | null): string | undefined {
  const { year, month, day } = match?.groups ?? {};
  return day === undefined ? undefined : dateOf(Number(year), Number(month), Number(day));
}

function dateOf(year: number, month: number, day: number): string | undefined {
  const date = new Date(Date.UTC(2000, 0, 1));
  date.setUTCFullYear(year, month - 1, day);
  const isDate = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isDate ? date.toISOString().slice(0, 10) : undefined;
}
