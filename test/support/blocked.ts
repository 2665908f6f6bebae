import { eventually } from './eventually.js';

const BLOCKED = `
  SELECT count(*)::integer AS blocked FROM pg_stat_activity
   WHERE datname = current_database() AND wait_event_type = 'Lock' AND position($1 IN query) > 0`;

/**
 * Resolves when at least `least` statements in a database are waiting for locks.
 *
 * @param ask runs a statement outside of transactions, because the statistics do not change within a transaction
 * @param about substring that the blocked statements must contain
 */
export async function untilBlocked(
  ask: (text: string, values: unknown[]) => Promise<{ blocked: number }[]>,
  { about = '', least = 1 } = {},
): Promise<void> {
  await eventually(
    () => ask(BLOCKED, [about]),
    ([row]) => (row?.blocked ?? 0) >= least,
    { until: `${least} wait for locks` },
  );
}
