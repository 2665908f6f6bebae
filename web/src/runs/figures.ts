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
const LEAST = 0.0001;
/** Significant digits of figures below 1e13. Doubles have two or three more, which rounding errors use up. */
const DIGITS = 13;
/** Figures below this are none. */
const NOTHING = 1e-9;
/** Values that differ by less, relatively, are the same. */
const SAME = 1e-9;
const MINUTE = 60;

/** In the place of a figure that there is none of. */
export const NONE = '–';

/** A figure without rounding errors: 91.99999999999991 is 92, and -8.5e-14 is 0. */
export function rounded(value: number): number {
  const size = Math.abs(value);
  if (size < NOTHING) return 0;
  return size < 10 ** DIGITS ? Number(value.toPrecision(DIGITS)) : Math.round(value);
}

/** A figure as people read it: with as many digits as say something. */
export function figure(exact: number | null | undefined): string {
  if (exact == null) return NONE;
  const value = rounded(exact);
  const size = Math.abs(value);
  // Adding zero takes the sign of one away.
  if (size >= 1e15 || (size > 0 && size < LEAST)) return extreme.format(value);
  return (size >= 1000 ? large : plain).format(value + 0);
}

/** How much more a value is than another one; nothing where rounding errors alone differ. */
export function changeOf(value: number, of: number): number {
  const size = Math.max(Math.abs(value), Math.abs(of));
  const digits = DIGITS - 1 - Math.floor(Math.log10(Math.max(size, NOTHING)));
  const change = rounded(Number((value - of).toFixed(Math.min(100, Math.max(0, digits)))));
  return Math.abs(change) <= SAME * size ? 0 : change;
}

/** The same with a plus where it is more. */
export const difference = (value: number | null): string =>
  value === null ? NONE : rounded(value) > 0 ? `+${figure(value)}` : figure(value);

/** A share: `1.5 %`; of one that is there but hardly so, that it is less than is shown. */
export function share(value: number | null | undefined): string {
  if (value == null) return NONE;
  return value > 0 && value < LEAST ? `< ${percent.format(LEAST)}` : percent.format(value);
}

/** How much more a value is than another one, as a share of that; there is none of 0. */
export const relative = (change: number | null, of: number | null): string =>
  change === null || of === null || of === 0 ? NONE : signedPercent.format(change / Math.abs(of));

/** Seconds as people say them: `0.8 s`, `2 min 5 s`. */
export function duration(seconds: number): string {
  if (seconds < 10) return `${plain.format(Math.round(seconds * 10) / 10)} s`;
  const whole = Math.round(seconds);
  if (whole < MINUTE) return `${whole} s`;
  const rest = whole % MINUTE;
  return [`${Math.floor(whole / MINUTE)} min`, ...(rest > 0 ? [`${rest} s`] : [])].join(' ');
}

/** What something has cost. */
export const cost = (value: number | null): string => (value === null ? NONE : credits.format(value));

const counts = new Intl.NumberFormat();

export const count = (value: number): string => counts.format(value);

/** So many of something: `1 run`, `1,200 runs`. */
export const counted = (value: number, one: string): string => `${count(value)} ${value === 1 ? one : `${one}s`}`;
