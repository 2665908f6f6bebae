/**
 * Resolution of the sums by spender, which have a value for each midnight and noon in UTC. Daily sums have values for midnights
 * only.
 */
export const HALF_DAY_MS = 12 * 60 * 60 * 1000;
export const DAY_MS = 2 * HALF_DAY_MS;

/**
 * Interval in milliseconds since 1970, excluding its end. Both ends may be infinite. An interval that ends before it begins is
 * subtracted.
 */
export type Interval = readonly [from: number, until: number];

const EMPTY: Interval = [-Infinity, -Infinity];

/**
 * Time span, divided into a part that starts and ends at midnight or noon, and the partial units before and after it. A partial
 * unit that ends before it starts is subtracted.
 */
export interface DividedSpan {
  whole: Interval;
  before: Interval;
  after: Interval;
}

/**
 * Divides the span from `since` (inclusive) to `until` (exclusive) into units of `unit` milliseconds. A missing end is
 * unbounded.
 */
export function divide(unit: number, since?: Date, until?: Date): DividedSpan {
  const [from, end] = [since?.getTime() ?? -Infinity, until?.getTime() ?? Infinity];
  if (from >= end) return { whole: EMPTY, before: EMPTY, after: EMPTY };
  const [first, last] = [nearest(from, unit), nearest(end, unit)];
  if (first >= last) return { whole: EMPTY, before: [from, end], after: EMPTY };
  return { whole: [first, last], before: [from, first], after: [last, end] };
}

const nearest = (ms: number, unit: number): number => Math.round(ms / unit) * unit;
