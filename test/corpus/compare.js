/*
 * Compares a table as read by the service with the same table as read by another reader. Values are normalized first:
 * - An empty string, NaN and null are equal. Surrounding spaces are ignored.
 * - Numbers have 15 significant digits, and integers have all digits. A string that looks like a number is a number, so
 * that `1` equals `1.0`.
 * - Booleans are lower-case strings. Dates and times are in ISO 8601, and midnight is ignored.
 * - If the other reader returns a number or date as a string, the string is parsed in the format that the service
 * reports for the file.
 * - An error in a workbook, such as `#N/A`, equals null.
 * - A column without a name or values is ignored.
 */

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const DATE = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(?:Z|\+00:00)?)?$/;
const OFFSET = /^(\S{10})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)([+-]\d{2})(?::?(\d{2}))?$/;
const HALF_OF_DAY = /(\d{1,2})(:\d{2}(?::\d{2})?)(?:\.\d+)? ?([ap])m$/i;
const ERROR = /^#(?:N\/A|REF!|DIV\/0!|VALUE!|NAME\?|NUM!|NULL!)$/;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Returns a sentence that describes the first difference between two tables, or undefined if they are equal. */
export function difference(ours, theirs) {
  const above = theirs.total - ours.total;
  if (above < 0 || above > 1) return `${ours.total} rows, other reader ${theirs.total} with the header`;
  const header = above === 1 ? theirs.rows[0] : undefined;
  const width = Math.max(ours.columns.length, theirs.width);
  for (let at = 0; header !== undefined && at < width; at += 1) {
    const [name, other] = [ours.columns[at] ?? '', header[at]];
    if (!sameName(name, other, ours.columns))
      return `column ${at + 1} is called ${show(name)}, other reader ${show(other)}`;
  }
  const rows = theirs.rows.slice(above);
  for (const [row, cells] of ours.rows.slice(0, rows.length).entries()) {
    for (let at = 0; at < width; at += 1) {
      const other = rows[row][at] ?? null;
      if (!sameValue(cells[at] ?? null, other, ours.dialect)) {
        const place = `row ${row + 1} of the data, column ${show(ours.columns[at] ?? at + 1)}`;
        return `${place}: ${show(cells[at])}, other reader ${show(other)}`;
      }
    }
  }
  return undefined;
}

/** Returns whether two names are equal. The service adds numbers to empty and duplicate names. */
function sameName(ours, theirs, all) {
  const [name, other] = [ours, normal(theirs) ?? ''].map((text) => text.replace(/\s+/g, ' ').trim().toLowerCase());
  if (name === other || normal(ours) === normal(theirs)) return true;
  if (other === '') return /^column_\d+$/.test(name);
  return name.replace(/_\d+$/, '') === other && all.some((one) => one !== ours && one.trim().toLowerCase() === other);
}

export function sameValue(ours, theirs, dialect) {
  const [value, other] = [normal(ours), normal(theirs)];
  if (value === other || (value === null && ERROR.test(other))) return true;
  if (typeof theirs === 'number' && NUMBER.test(value)) return Number(value) === theirs;
  if (typeof theirs !== 'string' || value === null || other === null) return false;
  if (typeof ours === 'number') return value === asNumber(theirs, dialect ?? {});
  const [, date, time] = (typeof ours === 'string' && DATE.exec(ours)) || [];
  return date !== undefined && sameDate(date, time, theirs);
}

/** Returns a value in normalized form, or null if it is empty. */
function normal(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return null;
  if (typeof value === 'number') return digitsOf(value);
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'object')
    return JSON.stringify(value, (_, inner) => (typeof inner === 'number' ? normal(inner) : inner));
  const text = value.trim().replace(/\r\n?/g, '\n');
  if (text === '' || text === 'NaN') return null;
  if (NUMBER.test(text)) return significant(text);
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase();
  if (/^[[{]/.test(text)) return asJson(text);
  const [, date, time] = DATE.exec(text) ?? [];
  if (/^\d:\d\d(?::\d\d)?$/.test(text)) return normal(`0${text}`);
  if (/^\d\d:\d\d$/.test(text)) return `${text}:00`;
  if (date === undefined) return /^\d\d:\d\d:\d\d\.\d+$/.test(text) ? text.replace(/\.?0+$/, '') : text;
  const clock = time
    ?.replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '')
    .replace(/^(\d\d:\d\d)$/, '$1:00');
  return clock === undefined || clock === '00:00:00' ? date : `${date} ${clock}`;
}

/** Returns a number as a string. Long integers stay exact, because the service returns them as strings. */
const significant = (text) => (/^[+-]?\d{16,}$/.test(text) ? text.replace(/^\+/, '') : digitsOf(Number(text)));

const digitsOf = (number) => String(Number.isSafeInteger(number) ? number : Number(number.toPrecision(15)));

function asJson(text) {
  try {
    return normal(JSON.parse(text));
  } catch {
    return text;
  }
}

function asNumber(text, { thousands = '', decimal = '.' }) {
  const isPercent = /%\s*$/.test(text);
  let plain = text.replace(/[%\s\u00a0\u202f]/g, '');
  if (thousands !== '') plain = plain.replaceAll(thousands, '');
  plain = plain.replace(decimal, '.');
  if (!NUMBER.test(plain)) return undefined;
  return normal(isPercent ? Number(plain) / 100 : Number(plain));
}

/**
 * Returns whether a string consists of the components of a date in any order. The service converts times with an offset
 * to UTC.
 */
function sameDate(date, time = '', given) {
  const offset = OFFSET.exec(given);
  if (offset !== null) {
    const [, day, clock, hours, minutes = '00'] = offset;
    return Date.parse(`${day}T${clock}${hours}:${minutes}`) === Date.parse(`${date}T${time || '00:00'}Z`);
  }
  const text = given.replace(
    HALF_OF_DAY,
    (_, hours, rest, half) => `${(Number(hours) % 12) + (/p/i.test(half) ? 12 : 0)}`.padStart(2, '0') + rest,
  );
  const [year, month, day] = date.split('-').map(Number);
  const parts = text.toLowerCase().match(/\d+|[a-z]{3,}/g) ?? [];
  const numbers = /^\d{8}/.test(text) ? [text.slice(0, 4), text.slice(4, 6), text.slice(6, 8)] : parts.slice(0, 3);
  const values = numbers.map((part) => (/\d/.test(part) ? Number(part) : MONTHS.indexOf(part.slice(0, 3)) + 1));
  const wanted = [year, month, day].sort((a, b) => a - b);
  const same = [...values].sort((a, b) => a - b);
  const isDate = same.every((part, at) => part === wanted[at]);
  const isShort = [...values].sort((a, b) => a - b).join() === [year % 100, month, day].sort((a, b) => a - b).join();
  return (
    (isDate || isShort) &&
    (time === '' || text.includes(time.slice(0, 5).replace(/^0/, '')) || time.startsWith('00:00'))
  );
}

const show = (value) => {
  const text = JSON.stringify(value ?? null);
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
};
