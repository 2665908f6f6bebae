const plain = new Intl.NumberFormat(undefined, { maximumFractionDigits: 4 });
const large = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 });
const extreme = new Intl.NumberFormat(undefined, { notation: 'scientific', maximumSignificantDigits: 5 });
const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 2 });
const signedPercent = new Intl.NumberFormat(undefined, {
  style: 'percent',
  maximumFractionDigits: 1,
  signDisplay: 'exceptZero',
});
const credits = new Intl.NumberFormat(undefined, { maximumFractionDigits: 3 });
const MIN_SHOWN = 0.0001;
/**
 * Number of significant digits in numbers below 1e13. Doubles have two or three more digits, which may contain rounding errors.
 */
const DIGITS = 13;
/** Absolute values below this are treated as zero. */
const ZERO_TOLERANCE = 1e-9;
/** Maximum relative difference between values that count as equal. */
const EQUALITY_TOLERANCE = 1e-9;
const MINUTE = 60;

/** Placeholder for a missing number. */
export const NONE = '–';

/** Removes rounding errors from a number: 91.99999999999991 becomes 92, and -8.5e-14 becomes 0. */
export function roundFigure(value: number): number {
  const size = Math.abs(value);
  if (size < ZERO_TOLERANCE) return 0;
  return size < 10 ** DIGITS ? Number(value.toPrecision(DIGITS)) : Math.round(value);
}

/** Formats a number with its significant digits. */
export function formatFigure(exact: number | null | undefined): string {
  if (exact == null) return NONE;
  const value = roundFigure(exact);
  const size = Math.abs(value);
  // Adding zero turns -0 into 0.
  if (size >= 1e15 || (size > 0 && size < MIN_SHOWN)) return extreme.format(value);
  return (size >= 1000 ? large : plain).format(value + 0);
}

/** Returns the difference between two values, or 0 if they differ only by rounding errors. */
export function differenceOf(value: number, of: number): number {
  const size = Math.max(Math.abs(value), Math.abs(of));
  const digits = DIGITS - 1 - Math.floor(Math.log10(Math.max(size, ZERO_TOLERANCE)));
  const change = roundFigure(Number((value - of).toFixed(Math.min(100, Math.max(0, digits)))));
  return Math.abs(change) <= EQUALITY_TOLERANCE * size ? 0 : change;
}

/** Formats a difference. Positive differences have a plus sign. */
export const formatDifference = (value: number | null): string =>
  value === null ? NONE : roundFigure(value) > 0 ? `+${formatFigure(value)}` : formatFigure(value);

/**
 * Formats a share as a percentage, such as `1.5 %`. A very small positive share is shown as less than the smallest displayed
 * percentage.
 */
export function formatShare(value: number | null | undefined): string {
  if (value == null) return NONE;
  return value > 0 && value < MIN_SHOWN ? `< ${percent.format(MIN_SHOWN)}` : percent.format(value);
}

/** Formats a change relative to a value. Returns a placeholder if the value is 0. */
export const formatRelative = (change: number | null, of: number | null): string =>
  change === null || of === null || of === 0 ? NONE : signedPercent.format(change / Math.abs(of));

/** Formats seconds, such as `0.8 s` or `2 min 5 s`. */
export function formatSeconds(seconds: number): string {
  if (seconds < 10) return `${plain.format(Math.round(seconds * 10) / 10)} s`;
  const whole = Math.round(seconds);
  if (whole < MINUTE) return `${whole} s`;
  const rest = whole % MINUTE;
  return [`${Math.floor(whole / MINUTE)} min`, ...(rest > 0 ? [`${rest} s`] : [])].join(' ');
}

/** Formats a cost in credits. */
export const formatCost = (value: number | null): string => (value === null ? NONE : credits.format(value));

const counts = new Intl.NumberFormat();

export const formatCount = (value: number): string => counts.format(value);

/** Formats a count with its noun, such as `1 run` or `1,200 runs`. */
export const countLabel = (value: number, singular: string): string =>
  `${formatCount(value)} ${value === 1 ? singular : `${singular}s`}`;
