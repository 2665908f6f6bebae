const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** From the end of an attempt to the next one; then the last of them again and again. */
const DELAYS_MS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR];
/** From the first attempt on. */
const MAX_DURATION_MS = 24 * HOUR;

/**
 * When a delivery is tried again that has failed; null when it is not.
 *
 * @param attempts how many there were
 * @param first when the first of them was
 */
export function nextAttempt(attempts: number, first: Date, now: Date): Date | null {
  const delay = DELAYS_MS[Math.min(attempts, DELAYS_MS.length) - 1] ?? 0;
  const next = now.getTime() + delay;
  return next - first.getTime() > MAX_DURATION_MS ? null : new Date(next);
}
