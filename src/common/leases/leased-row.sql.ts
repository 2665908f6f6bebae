/*
 * SQL fragments for rows that only one process at a time works on. `owner` is that process, and `due_at` is the end of its
 * lease. `generation` counts the owners. Every write by an owner checks that the generation has not changed. `attempts` counts
 * attempts that may have failed.
 */

/** Time without a heartbeat after which an owner loses its work. */
export const LEASE = `interval '15 s'`;

/** End of a lease that starts now. */
export const LEASED_UNTIL = `clock_timestamp() + ${LEASE}`;

/** SET clause: `owner`, an SQL expression, becomes the owner of the row. */
export const claimedBy = (owner: string): string =>
  `owner = ${owner}, generation = generation + 1, attempts = attempts + 1, due_at = ${LEASED_UNTIL}`;

/** SET clause: extends the owner's lease. */
export const RENEWED = `due_at = ${LEASED_UNTIL}`;

/** SET clause: releases the row. `attempts`, an SQL expression, is subtracted from the number of attempts. */
export const released = (attempts: string): string => `owner = NULL, attempts = attempts - ${attempts}`;

/** SET clause: marks a row that needs no further work. */
export const FINISHED = 'owner = NULL, due_at = NULL';

/** Condition: the lease has expired, or the wake-up of a row without an owner was probably lost. */
export const OVERDUE = 'due_at < clock_timestamp()';
