const DAY_FIRST = /^(?<first>\d{1,2})(?<sign>[./-])(?<second>\d{1,2})\k<sign>(?<year>\d{4}|\d{2})$/;
const YEAR_FIRST = /^(?<year>\d{4})[./-](?<month>\d{1,2})[./-](?<day>\d{1,2})$/;
const NAMED_MONTH = /^(?<day>\d{1,2})[- ](?<name>[a-z]{3})[- ](?<year>\d{4})$/i;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** Last year of two digits that belongs to this century. */
const LAST_SHORT_YEAR = 68;

/**
 * Returns a date in the form that dates of files have, such as `2025-02-01` for `01.02.2025`; undefined for other texts. The day
 * comes first unless only the other order is a date.
 */
export function isoDate(text: string): string | undefined {
  const { first, sign, second, year } = DAY_FIRST.exec(text)?.groups ?? {};
  if (first !== undefined && second !== undefined && year !== undefined) {
    const full = year.length === 4 ? Number(year) : Number(year) + (Number(year) <= LAST_SHORT_YEAR ? 2000 : 1900);
    const dayFirst = dateOf(full, Number(second), Number(first));
    return dayFirst ?? (sign === '.' ? undefined : dateOf(full, Number(first), Number(second)));
  }
  const named = NAMED_MONTH.exec(text)?.groups;
  if (named !== undefined)
    return dateOf(Number(named['year']), MONTHS.indexOf(named['name']!.toLowerCase()) + 1, Number(named['day']));
  const parts = YEAR_FIRST.exec(text)?.groups;
  return parts && dateOf(Number(parts['year']), Number(parts['month']), Number(parts['day']));
}

function dateOf(year: number, month: number, day: number): string | undefined {
  const date = new Date(Date.UTC(2000, 0, 1));
  date.setUTCFullYear(year, month - 1, day);
  const isDate = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isDate ? date.toISOString().slice(0, 10) : undefined;
}
