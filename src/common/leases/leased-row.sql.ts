/*
 * SQL of rows that one process at a time works on. `owner` is that process, `due_at` says until when it has the row, and
 * `generation` counts the owners: what an owner writes names its own. `attempts` counts those that may have failed.
 */

/** Work whose owner sends no heartbeat for this long is taken from it. */
export const LEASE = `interval '15 s'`;

/** The end of a lease that begins now. */
export const LEASED_UNTIL = `clock_timestamp() + ${LEASE}`;

/** SET: `owner`, which is SQL, has the row from now on. */
export const claimedBy = (owner: string): string =>
  `owner = ${owner}, generation = generation + 1, attempts = attempts + 1, due_at = ${LEASED_UNTIL}`;

/** SET: the owner is alive. */
export const RENEWED = `due_at = ${LEASED_UNTIL}`;

/** SET: the row has no owner any more; this many of the attempts, as SQL, do not count. */
export const givenBack = (attempts: string): string => `owner = NULL, attempts = attempts - ${attempts}`;

/** SET: the row needs no owner any more. */
export const OVER = 'owner = NULL, due_at = NULL';

/** Condition: the owner has let the lease run out, or the wake-up of a row without an owner counts as lost. */
export const OVERDUE = 'due_at < clock_timestamp()';
