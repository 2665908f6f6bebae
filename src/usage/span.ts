/** The sums by spender hold what was spent until each midnight and each noon, in UTC, those of days until each midnight. */
export const HALF_DAY_MS = 12 * 60 * 60 * 1000;
export const DAY_MS = 2 * HALF_DAY_MS;

/**
 * From a moment on until before another one, in milliseconds since 1970; both may be infinite. One that ends before it
 * begins takes away what lies between.
 */
export type Stretch = readonly [from: number, until: number];

/** Nothing. */
const EMPTY: Stretch = [-Infinity, -Infinity];

/** A span of time as the whole units between the midnights or noons next to its ends, and what is added or taken away. */
export interface DividedSpan {
  whole: Stretch;
  before: Stretch;
  after: Stretch;
}

/** Divides the span from `since` on until before `until` into units of so many ms; an absent end is no bound. */
export function divide(unit: number, since?: Date, until?: Date): DividedSpan {
  const [from, end] = [since?.getTime() ?? -Infinity, until?.getTime() ?? Infinity];
  if (from >= end) return { whole: EMPTY, before: EMPTY, after: EMPTY };
  const [first, last] = [nearest(from, unit), nearest(end, unit)];
  if (first >= last) return { whole: EMPTY, before: [from, end], after: EMPTY };
  return { whole: [first, last], before: [from, first], after: [last, end] };
}

const nearest = (ms: number, unit: number): number => Math.round(ms / unit) * unit;
