const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * From a moment on until before another one, in milliseconds since 1970; both may be infinite. One that ends before it
 * begins takes away what lies between.
 */
export type Stretch = readonly [from: number, until: number];

/** Nothing. */
const EMPTY: Stretch = [-Infinity, -Infinity];

/** A span of time as the UTC days between the midnights next to its ends, and what is to be added to them or taken away. */
export interface DividedSpan {
  days: Stretch;
  before: Stretch;
  after: Stretch;
}

/** Divides the span from `since` on until before `until`; an absent one is no bound. */
export function divide(since?: Date, until?: Date): DividedSpan {
  const [from, end] = [since?.getTime() ?? -Infinity, until?.getTime() ?? Infinity];
  if (from >= end) return { days: EMPTY, before: EMPTY, after: EMPTY };
  const [firstDay, lastDay] = [nearestMidnight(from), nearestMidnight(end)];
  if (firstDay >= lastDay) return { days: EMPTY, before: [from, end], after: EMPTY };
  return { days: [firstDay, lastDay], before: [from, firstDay], after: [lastDay, end] };
}

const nearestMidnight = (ms: number): number => Math.round(ms / DAY_MS) * DAY_MS;
