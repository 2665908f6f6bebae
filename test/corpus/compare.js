/*
 * Compares a table of the service with the same table as another reader gives it. Values are normalised first:
 *
 * - An empty text, NaN and null are the same. Blanks around a text do not count.
 * - Numbers have 15 digits, whole numbers all of theirs. A text that looks like a number is one, so that `1` and `1.0` are the same.
 * - Booleans are texts in lower case. Dates and times are in ISO 8601; a time of midnight does not count.
 * - A number or date that the other reader left as text is read as the service says the file is written.
 * - An error of a workbook, such as `#N/A`, is the same as null.
 * - A column without name and values is the same as none.
 */

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const DATE = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(?:Z|\+00:00)?)?$/;
const OFFSET = /^(\S{10})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)([+-]\d{2})(?::?(\d{2}))?$/;
const HALF_OF_DAY = /(\d{1,2})(:\d{2}(?::\d{2})?)(?:\.\d+)? ?([ap])m$/i;
const ERROR = /^#(?:N\/A|REF!|DIV\/0!|VALUE!|NAME\?|NUM!|NULL!)$/;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** The first difference between two tables as a sentence; undefined if they are the same. */
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

/** Whether two names are the same. The service numbers empty and doubled names. */
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

/** A value in the form in which values are compared; null if it is empty. */
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

/** A number as text: exact if it is a long whole number, which the service keeps as a text. */
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

/** Whether a text has the parts of a date, in whatever order. The service reads times with an offset in UTC. */
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
