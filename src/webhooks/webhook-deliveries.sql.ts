import { LEASED_UNTIL } from '../common/leases/leased-row.sql.js';

/*
 * Pending deliveries are either unattempted and sent in order per project, or failed and sent at their retry time. Each of
 * these groups has its own index, so that a receiver that fails for a day does not slow down other receivers. Queries compare
 * with the time of the transaction, because an index condition cannot use a clock that advances during the statement.
 */

const IS_FIRST = `state = 'pending' AND attempts = 0`;
const IS_AGAIN = `state = 'pending' AND attempts > 0`;
/** Condition that a delivery has no owner, or that its owner has died. */
const IS_FREE = '(owner IS NULL OR due_at < clock_timestamp())';

/** Maximum number of a webhook's projects whose first attempts run concurrently, and of concurrent retries. */
const STREAMS_AT_ONCE = 4;
const RETRIES_AT_ONCE = 2;
/** Maximum number of concurrent attempts per company, so that hanging receivers leave room for other companies. */
const ATTEMPTS_OF_COMPANY = 10;
/** Slots in a process that are reserved for companies with few concurrent attempts. */
const RESERVED_PLACES = 50;
const FEW_ATTEMPTS = 2;
/**
 * Order of a webhook's projects. A hash is used because ids begin with their creation time, so the oldest project would always
 * come first.
 */
const SPOT = 'uuid_hash_extended(stream_id, 0)';

/** Returns SQL for a recursive query that finds the distinct values in a part of an index (loose index scan). */
const distinct = (name: string, value: string, condition: string): string => {
  const next = (after: string): string =>
    `SELECT ${value} FROM webhook_deliveries WHERE ${condition}${after} ORDER BY ${value} LIMIT 1`;
  return `${name} (value) AS (
    (${next('')}) UNION ALL
    SELECT (${next(` AND ${value} > last.value`)}) FROM ${name} last WHERE last.value IS NOT NULL)`;
};

/** Returns SQL for the hashes of webhook `w`'s projects with first attempts, on one side of its random `start`. */
const spots = (side: '>' | '<='): string => `(
  WITH RECURSIVE ${distinct('spots', SPOT, `webhook_id = w.id AND ${IS_FIRST} AND ${SPOT} ${side} w.start`)}
  SELECT value FROM spots WHERE value IS NOT NULL)`;

/**
 * Claims up to $2 due deliveries for the owner $1. For each project, only the oldest unattempted delivery is eligible, which
 * keeps the project's events in order. The scan over a webhook's projects starts at a random hash and stops after four
 * projects, however many projects the webhook has. Companies with the fewest running attempts come first. A company's eligible
 * deliveries are in random order.
 */
export const CLAIM = `
  WITH RECURSIVE ${distinct('first', 'webhook_id', IS_FIRST)}, ${distinct('again', 'webhook_id', IS_AGAIN)},
  held AS (
    SELECT w.company_id, d.webhook_id, count(*) FILTER (WHERE d.attempts = 0) AS first, count(*) FILTER (WHERE d.attempts > 0) AS again
      FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
     WHERE d.state = 'pending' AND d.owner IS NOT NULL AND d.due_at >= clock_timestamp()
     GROUP BY w.company_id, d.webhook_id
  ), company AS (
    SELECT company_id, sum(first + again) AS held FROM held GROUP BY company_id
  ), webhook AS (
    SELECT w.id, w.company_id, uuid_hash_extended(gen_random_uuid(), 0) AS start,
           coalesce(h.first, 0) AS first, coalesce(h.again, 0) AS again, coalesce(c.held, 0) AS of_company
      FROM webhooks w LEFT JOIN held h ON h.webhook_id = w.id LEFT JOIN company c ON c.company_id = w.company_id
     WHERE w.active AND w.id = ANY (ARRAY(SELECT value FROM first UNION SELECT value FROM again))
  ), due AS (
    SELECT d.id, w.of_company + row_number() OVER (PARTITION BY w.company_id ORDER BY random()) AS number
      FROM webhook w, LATERAL (
        (SELECT e.id
           FROM (${spots('>')} UNION ALL ${spots('<=')}) s, LATERAL (
                  SELECT id, owner, due_at FROM webhook_deliveries
                   WHERE webhook_id = w.id AND ${SPOT} = s.value AND ${IS_FIRST} ORDER BY place LIMIT 1) e
          WHERE ${IS_FREE} LIMIT greatest(0, ${STREAMS_AT_ONCE} - w.first))
        UNION ALL
        (SELECT id FROM webhook_deliveries
          WHERE webhook_id = w.id AND ${IS_AGAIN} AND next_attempt_at <= now() AND ${IS_FREE}
          ORDER BY next_attempt_at LIMIT greatest(0, ${RETRIES_AT_ONCE} - w.again))) d
     WHERE w.of_company < ${ATTEMPTS_OF_COMPANY}
  )
  UPDATE webhook_deliveries d
     SET owner = $1, generation = d.generation + 1, due_at = ${LEASED_UNTIL}
    FROM (SELECT id FROM (SELECT id, number, row_number() OVER (ORDER BY number, random()) AS place FROM due) p
           WHERE number <= ${FEW_ATTEMPTS} OR number <= ${ATTEMPTS_OF_COMPANY} AND place <= $2 - ${RESERVED_PLACES}
           ORDER BY place LIMIT $2) c, webhooks w
   WHERE d.id = c.id AND w.id = d.webhook_id
     -- as it is now, if somebody has changed it meanwhile
     AND d.state = 'pending' AND (d.owner IS NULL OR d.due_at < clock_timestamp()) AND (d.attempts = 0 OR d.next_attempt_at <= now())
  RETURNING d.id, d.generation, d.webhook_id, w.company_id, w.url, w.secret, d.message_id, d.body, d.attempts, d.first_attempt_at`;

/** Removes up to $1 deliveries of deleted webhooks. */
export const REMOVE_ORPHANS = `
  WITH RECURSIVE ${distinct('known', 'webhook_id', 'true')}
  DELETE FROM webhook_deliveries WHERE id = ANY (ARRAY(
    SELECT d.id FROM known k, LATERAL (SELECT id FROM webhook_deliveries WHERE webhook_id = k.value LIMIT $1) d
     WHERE NOT EXISTS (SELECT FROM webhooks w WHERE w.id = k.value) LIMIT $1))`;
