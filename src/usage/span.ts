const DAY_MS = 24 * 60 * 60 * 1000;

/** From a moment on until before another one, in milliseconds since 1970; both may be infinite. */
export type Stretch = readonly [from: number, until: number];

/** Nothing. */
const EMPTY: Stretch = [-Infinity, -Infinity];

/** A span of time as its whole UTC days and what is left of it before and after them. */
export interface DividedSpan {
  days: Stretch;
  before: Stretch;
  after: Stretch;
}

/** Divides the span from `since` on until before `until`; an absent one is no bound. */
export function divide(since?: Date, until?: Date): DividedSpan {
  const [from, end] = [since?.getTime() ?? -Infinity, until?.getTime() ?? Infinity];
  const [firstDay, lastDay] = [Math.ceil(from / DAY_MS) * DAY_MS, Math.floor(end / DAY_MS) * DAY_MS];
  if (firstDay >= lastDay) return { days: EMPTY, before: [from, end], after: EMPTY };
  return { days: [firstDay, lastDay], before: [from, firstDay], after: [lastDay, end] };
}
