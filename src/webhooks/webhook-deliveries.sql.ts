import { LEASE } from '../common/leases/leased-row.sql.js';

/*
 * Deliveries whose time has come: those that were never attempted, by project, and those that failed, by their time. Each has
 * an index of its own, so that a receiver which takes nothing for a day has others read no more. The time is that of the
 * transaction: one that goes on is no condition of an index.
 */

const IS_FIRST = `state = 'pending' AND attempts = 0`;
const IS_AGAIN = `state = 'pending' AND attempts > 0`;
const FIELDS = 'id, stream_id, message_id, body, attempts, first_attempt_at';

/** Condition that a webhook has deliveries whose time has come, each asked of the head of an index; `webhook` is SQL of its id. */
const isDue = (webhook: string): string => `(coalesce(
  (SELECT true FROM webhook_deliveries WHERE webhook_id = ${webhook} AND ${IS_FIRST} ORDER BY stream_id LIMIT 1),
  (SELECT next_attempt_at FROM webhook_deliveries
    WHERE webhook_id = ${webhook} AND ${IS_AGAIN} ORDER BY next_attempt_at LIMIT 1) <= now(), false))`;

/** Number of deliveries that wait for a webhook `w`, each kind counted in its index. */
export const PENDING = `(
  (SELECT count(*) FROM webhook_deliveries d WHERE d.webhook_id = w.webhook_id AND ${IS_FIRST})
  + (SELECT count(*) FROM webhook_deliveries d WHERE d.webhook_id = w.webhook_id AND ${IS_AGAIN}))`;

/** The values of the first column of an index that its condition holds for, from one to the next one. */
const distinct = (name: string, column: string, condition: string): string => {
  const next = (after: string): string =>
    `SELECT ${column} FROM webhook_deliveries WHERE ${condition}${after} ORDER BY ${column} LIMIT 1`;
  return `${name} AS (
    (${next('')}) UNION ALL
    SELECT (${next(` AND ${column} > known.${column}`)}) FROM ${name} known WHERE known.${column} IS NOT NULL)`;
};

/**
 * Some of those that were never attempted, of each project in their order: $1 the webhook, $2 of how many projects, $3 how many
 * of each. Which projects come first is left to chance, so that none waits for others for long.
 */
export const FIRST = `
  WITH RECURSIVE ${distinct('streams', 'stream_id', `webhook_id = $1 AND ${IS_FIRST}`)}
  SELECT d.*
    FROM (SELECT stream_id, random() AS turn FROM streams WHERE stream_id IS NOT NULL ORDER BY turn LIMIT $2) s,
         LATERAL (SELECT ${FIELDS}, place FROM webhook_deliveries
                   WHERE webhook_id = $1 AND stream_id = s.stream_id AND ${IS_FIRST} ORDER BY place LIMIT $3) d
   ORDER BY s.turn, d.place`;

/** Some of those that are tried again, the longest due first: $1 the webhook, $2 how many. */
export const AGAIN = `
  SELECT ${FIELDS} FROM webhook_deliveries
   WHERE webhook_id = $1 AND ${IS_AGAIN} AND next_attempt_at <= now() ORDER BY next_attempt_at LIMIT $2`;

/** Whether something is due: $1 the webhook. */
export const HAS_DUE = `SELECT ${isDue('$1')} AS due`;

/** Webhooks with something due that nobody delivers to, the one first whose last turn is longest ago: $1 how many. */
export const WAITING = `
  WITH RECURSIVE ${distinct('first', 'webhook_id', IS_FIRST)}, ${distinct('again', 'webhook_id', IS_AGAIN)}
  SELECT w.id, coalesce(w.due_at - ${LEASE}, w.created_at) AS created_at
    FROM webhooks w
   WHERE w.id = ANY (ARRAY(SELECT webhook_id FROM first UNION SELECT webhook_id FROM again))
     AND (w.owner IS NULL OR w.due_at < clock_timestamp()) AND ${isDue('w.id')}
   ORDER BY 2 LIMIT $1`;
