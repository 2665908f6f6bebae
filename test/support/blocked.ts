import { eventually } from './eventually.js';

const BLOCKED = `
  SELECT count(*)::integer AS blocked FROM pg_stat_activity
   WHERE datname = current_database() AND wait_event_type = 'Lock' AND position($1 IN query) > 0`;

/**
 * Resolves when so many statements of a database wait for locks.
 *
 * @param ask runs a statement outside of transactions, in which the server's statistics stand still
 * @param about a part of their texts
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
