const UNITS = [
  ['year', 365 * 24 * 3600],
  ['month', 30 * 24 * 3600],
  ['day', 24 * 3600],
  ['hour', 3600],
  ['minute', 60],
] as const;
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** Formats the time since a moment, in the largest suitable unit, such as `3 hours ago`. */
export function formatAge(moment: string, now = Date.now()): string {
  const seconds = (Date.parse(moment) - now) / 1000;
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return 'just now';
}

/** Formats date and time in the user's locale. */
export const formatDateTime = (moment: string): string => dateTime.format(new Date(moment));
