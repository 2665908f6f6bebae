const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Delays between attempts. The last delay repeats. */
const DELAYS_MS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR];
/** Maximum time between the first attempt and a retry. */
const MAX_DURATION_MS = 24 * HOUR;

/**
 * Returns the time of the next attempt after a failure, or null after the last retry.
 *
 * @param attempts number of attempts so far
 * @param first time of the first attempt
 */
export function nextAttempt(attempts: number, first: Date, now: Date): Date | null {
  const delay = DELAYS_MS[Math.min(attempts, DELAYS_MS.length) - 1] ?? 0;
  const next = now.getTime() + delay;
  return next - first.getTime() > MAX_DURATION_MS ? null : new Date(next);
}
