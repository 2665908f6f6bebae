import { MAX_PENDING } from './event-types.js';

/** Maximum number of a stream's events that are read at a time, and maximum size of their data in bytes. */
const MAX_EVENTS = 200;
const MAX_BYTES = 256 * 1024;

/**
 * SQL expression for the number of pending deliveries for a webhook `w`. Attempted and unattempted deliveries have separate
 * indexes.
 */
const PENDING = `(
  (SELECT count(*) FROM webhook_deliveries d WHERE d.webhook_id = w.webhook_id AND d.state = 'pending' AND d.attempts = 0)
  + (SELECT count(*) FROM webhook_deliveries d WHERE d.webhook_id = w.webhook_id AND d.state = 'pending' AND d.attempts > 0))`;

/** SQL expression for the envelope of an event `e` in a stream `h`, equal to {@link envelopeOf}. */
const ENVELOPE = `
  '{"id":' || e.id || ',"type":' || to_json(e.type) || CASE WHEN h.of_company THEN '' ELSE ',"project_id":"' || h.stream_id || '"' END ||
  ',"at":"' || iso_timestamp(e.at) || '","actor":{"kind":"' || e.actor_kind || '","id":' || coalesce(to_json(e.actor_id)::text, 'null') ||
  '},"data":' || e.data || '}'`;

/**
 * Adds a delivery of each event to each webhook that subscribes to it. Returns a row with the number of deliveries and whether
 * webhooks skipped events. Preceding common table expressions must define the stream heads `head` and the events `event`. The
 * SQL does not lock webhooks, because heads are always locked last.
 */
const DELIVER = `wanted AS (
    SELECT w.id AS webhook_id, e.stream_id, e.id, e.type, ${ENVELOPE} AS body,
           row_number() OVER (PARTITION BY w.id ORDER BY e.stream_id, e.id) AS number
      FROM head h
      JOIN webhooks w ON w.company_id = h.company_id AND w.active AND (w.project_id IS NULL OR w.project_id = h.stream_id)
      JOIN event e ON e.stream_id = h.stream_id AND e.type = ANY (w.events) AND e.at >= w.active_since
  ), room AS (
    SELECT w.webhook_id, w.count, greatest(${MAX_PENDING} - ${PENDING}, 0) AS room
      FROM (SELECT webhook_id, count(*) FROM wanted GROUP BY webhook_id) w
  ), skipped AS (
    INSERT INTO webhook_skips (webhook_id, events) SELECT webhook_id, count - room FROM room WHERE count > room RETURNING webhook_id
  ), delivered AS (
    INSERT INTO webhook_deliveries (webhook_id, stream_id, message_id, type, body)
    SELECT webhook_id, stream_id, stream_id || '_' || id, type, body FROM wanted JOIN room USING (webhook_id)
     WHERE number <= room ORDER BY stream_id, id
    RETURNING webhook_id
  )
  SELECT (SELECT count(*) FROM delivered)::integer AS deliveries, EXISTS (SELECT FROM skipped) AS skips`;

/**
 * SQL that numbers events, adds them and delivers them to webhooks, for stream $1 and the actor $2 and $3. Until the commit, no
 * other transaction can number events in the stream, so this must be the last statement of a transaction. It fails for a stream
 * without a head.
 */
const append = (count: number | string, rows: string): string => `
  WITH head AS (
    UPDATE event_heads
       SET last_id = last_id + ${count}, relayed_id = CASE relayed_id WHEN last_id THEN last_id + ${count} ELSE relayed_id END
     WHERE stream_id = $1
    RETURNING stream_id, company_id, of_company, last_id
  ), event AS (
    INSERT INTO events (stream_id, id, actor_kind, actor_id, at, type, data) ${rows}
    RETURNING stream_id, id, actor_kind, actor_id, at, type, data
  ), ${DELIVER}`;

/** Maximum number of events that are passed as individual parameters. */
const FEW = 4;

/**
 * Statements for small numbers of events. The first is for a single event. $4 is the type and $5 the data of the first event, and
 * so on.
 */
export const APPEND_FEW = Array.from({ length: FEW }, (_, others) => {
  const rows = Array.from(
    { length: others + 1 },
    (_, at) =>
      `($1, (SELECT last_id FROM head) - ${others - at}, $2, $3, clock_timestamp(), $${4 + 2 * at}, $${5 + 2 * at})`,
  );
  return append(rows.length, `VALUES ${rows.join(', ')}`);
});

/**
 * Statement for any number of events. It costs more per event than the statement for few events. $4 is the array of types, $5 the
 * array of data as JSON text.
 */
export const APPEND_MANY = append(
  'cardinality($4::text[])',
  `SELECT $1, (SELECT last_id FROM head) - cardinality($4::text[]) + n.place, $2, $3, clock_timestamp(), n.type, n.data::json
    FROM unnest($4::text[], $5::text[]) WITH ORDINALITY n (type, data, place)`,
);

/** Locks the head of stream $1. */
export const LOCK_HEAD = 'SELECT FROM event_heads WHERE stream_id = $1 FOR NO KEY UPDATE';

/** Locks the heads of company $1, in the order used by all transactions. */
export const LOCK_COMPANY =
  'SELECT stream_id FROM event_heads WHERE company_id = $1 ORDER BY stream_id FOR NO KEY UPDATE';

/** Follows company $1, whose heads are locked, unless it is already followed. All existing events count as relayed. */
export const FOLLOW = `
  WITH begun AS (INSERT INTO event_followers (company_id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING company_id)
  UPDATE event_heads SET relayed_id = last_id WHERE company_id = (SELECT company_id FROM begun)`;

/**
 * Locks up to $1 heads of followed companies with events that processes of the previous version appended without relaying them.
 * Uses the locking order of all transactions.
 */
export const LOCK_LEFT = `
  SELECT stream_id FROM event_heads
   WHERE last_id > relayed_id AND company_id = ANY (ARRAY(SELECT company_id FROM event_followers))
   ORDER BY stream_id LIMIT $1 FOR NO KEY UPDATE`;

/** Delivers unrelayed events of the locked heads $1. */
export const DELIVER_LEFT = `
  WITH head AS (
    UPDATE event_heads SET relayed_id = last_id WHERE stream_id = ANY ($1::uuid[])
    RETURNING stream_id, company_id, of_company, old.relayed_id
  ), event AS (
    SELECT e.* FROM head JOIN events e ON e.stream_id = head.stream_id AND e.id > head.relayed_id
  ), ${DELIVER}`;

/** Returns up to $2 streams with events, after stream $1. Each stream is found by an index lookup after the previous stream. */
export const STREAMS = `
  WITH RECURSIVE streams AS (
    (SELECT stream_id FROM events WHERE stream_id > $1 ORDER BY stream_id LIMIT 1)
    UNION ALL
    SELECT (SELECT e.stream_id FROM events e WHERE e.stream_id > s.stream_id ORDER BY e.stream_id LIMIT 1)
      FROM streams s WHERE s.stream_id IS NOT NULL
  )
  SELECT stream_id FROM streams WHERE stream_id IS NOT NULL LIMIT $2`;

/**
 * Removes up to $2 of the oldest events of each of the streams $1, if they are older than the interval $3. Returns the streams
 * from which it removed that many. Events have no index on their time, because all writes would contend for its last page.
 */
export const REMOVE_OLD = `
  WITH old AS (
    SELECT h.stream_id, max(few.id) AS last_id
      FROM event_heads h
     CROSS JOIN LATERAL (SELECT id, at FROM events WHERE stream_id = h.stream_id ORDER BY id LIMIT $2) few
     WHERE h.stream_id = ANY ($1::uuid[])
       AND (SELECT at FROM events WHERE stream_id = h.stream_id ORDER BY id LIMIT 1) < now() - $3::interval
       AND few.at < now() - $3::interval
     GROUP BY h.stream_id
  ), gone AS (
    DELETE FROM events e USING old WHERE e.stream_id = old.stream_id AND e.id <= old.last_id RETURNING e.stream_id
  )
  SELECT stream_id FROM gone GROUP BY stream_id HAVING count(*) >= $2`;

/** Returns the events in stream $1 after event $2. Returns at least one row if the stream exists. */
export const FOLLOWING = `
  SELECT h.last_id, e.*
    FROM event_heads h
    LEFT JOIN LATERAL (
      SELECT id, type, iso_timestamp(at) AS at, actor_kind, actor_id, data
        FROM (SELECT *, sum(octet_length(data)) OVER (ORDER BY id) - octet_length(data) AS bytes_before
                FROM (SELECT id, type, at, actor_kind, actor_id, data::text AS data
                        FROM events WHERE stream_id = h.stream_id AND id > $2 ORDER BY id LIMIT ${MAX_EVENTS}) few) counted
       WHERE bytes_before < ${MAX_BYTES}) e ON true
   WHERE h.stream_id = $1
   ORDER BY e.id`;
