/** The sums hold what was spent until each midnight and each noon, in UTC. */
const HALF_DAY_MS = 12 * 60 * 60 * 1000;

/**
 * From a moment on until before another one, in milliseconds since 1970; both may be infinite. One that ends before it
 * begins takes away what lies between.
 */
export type Stretch = readonly [from: number, until: number];

/** Nothing. */
const EMPTY: Stretch = [-Infinity, -Infinity];

/** A span of time as the half days between the midnights or noons next to its ends, and what is added or taken away. */
export interface DividedSpan {
  halfDays: Stretch;
  before: Stretch;
  after: Stretch;
}

/** Divides the span from `since` on until before `until`; an absent one is no bound. */
export function divide(since?: Date, until?: Date): DividedSpan {
  const [from, end] = [since?.getTime() ?? -Infinity, until?.getTime() ?? Infinity];
  if (from >= end) return { halfDays: EMPTY, before: EMPTY, after: EMPTY };
  const [first, last] = [nearest(from), nearest(end)];
  if (first >= last) return { halfDays: EMPTY, before: [from, end], after: EMPTY };
  return { halfDays: [first, last], before: [from, first], after: [last, end] };
}

const nearest = (ms: number): number => Math.round(ms / HALF_DAY_MS) * HALF_DAY_MS;
