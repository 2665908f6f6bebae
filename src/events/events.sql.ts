import { MAX_PENDING } from './event-types.js';

/** Events of a stream, at most, that are read at once, and bytes of their data. */
const MAX_EVENTS = 200;
const MAX_BYTES = 256 * 1024;

/** SQL: how many deliveries wait for a webhook `w`; those that were tried and those that were not have an index each. */
const PENDING = `(
  (SELECT count(*) FROM webhook_deliveries d WHERE d.webhook_id = w.webhook_id AND d.state = 'pending' AND d.attempts = 0)
  + (SELECT count(*) FROM webhook_deliveries d WHERE d.webhook_id = w.webhook_id AND d.state = 'pending' AND d.attempts > 0))`;

/** SQL: an event `e` of a stream `h` as {@link envelopeOf} makes it. */
const ENVELOPE = `
  '{"id":' || e.id || ',"type":' || to_json(e.type) || CASE WHEN h.of_company THEN '' ELSE ',"project_id":"' || h.stream_id || '"' END ||
  ',"at":"' || iso_timestamp(e.at) || '","actor":{"kind":"' || e.actor_kind || '","id":' || coalesce(to_json(e.actor_id)::text, 'null') ||
  '},"data":' || e.data || '}'`;

/**
 * Adds a delivery of each event to each webhook that wants it, and returns one row: how many there are, and whether webhooks have skipped
 * some. Common table expressions before it hold the `head`s of streams and `event`s. It locks no webhook: a head is locked last.
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
 * Numbers events, adds them, and delivers them to webhooks: $1 stream, $2 and $3 the actor. From here to the commit nobody else
 * numbers events of the stream, so it is the last statement of a transaction. A stream without a head fails.
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

/** Most events that are given one by one. */
const FEW = 4;

/** As many events as most changes have, by their number less one: $4 the type and $5 the data of the first, and so on. */
export const APPEND_FEW = Array.from({ length: FEW }, (_, others) => {
  const rows = Array.from(
    { length: others + 1 },
    (_, at) =>
      `($1, (SELECT last_id FROM head) - ${others - at}, $2, $3, clock_timestamp(), $${4 + 2 * at}, $${5 + 2 * at})`,
  );
  return append(rows.length, `VALUES ${rows.join(', ')}`);
});

/** Any number of events, which costs more for each: $4 their types, $5 their data as JSON texts. */
export const APPEND_MANY = append(
  'cardinality($4::text[])',
  `SELECT $1, (SELECT last_id FROM head) - cardinality($4::text[]) + n.place, $2, $3, clock_timestamp(), n.type, n.data::json
    FROM unnest($4::text[], $5::text[]) WITH ORDINALITY n (type, data, place)`,
);

/** Locks the head of a stream: $1 the stream. */
export const LOCK_HEAD = 'SELECT FROM event_heads WHERE stream_id = $1 FOR NO KEY UPDATE';

/** Locks the heads of a company, in the order in which everybody does: $1 the company. */
export const LOCK_COMPANY =
  'SELECT stream_id FROM event_heads WHERE company_id = $1 ORDER BY stream_id FOR NO KEY UPDATE';

/** Follows a company whose heads are locked, unless it is followed: its events count as relayed so far. */
export const FOLLOW = `
  WITH begun AS (INSERT INTO event_followers (company_id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING company_id)
  UPDATE event_heads SET relayed_id = last_id WHERE company_id = (SELECT company_id FROM begun)`;

/**
 * Locks heads of followed companies whose last events processes of the version before have appended and nobody has relayed: $1 how
 * many. In the order in which everybody locks them.
 */
export const LOCK_LEFT = `
  SELECT stream_id FROM event_heads
   WHERE last_id > relayed_id AND company_id = ANY (ARRAY(SELECT company_id FROM event_followers))
   ORDER BY stream_id LIMIT $1 FOR NO KEY UPDATE`;

/** Delivers the events of locked heads that nobody has relayed: $1 the streams. */
export const DELIVER_LEFT = `
  WITH head AS (
    UPDATE event_heads SET relayed_id = last_id WHERE stream_id = ANY ($1::uuid[])
    RETURNING stream_id, company_id, of_company, old.relayed_id
  ), event AS (
    SELECT e.* FROM head JOIN events e ON e.stream_id = head.stream_id AND e.id > head.relayed_id
  ), ${DELIVER}`;

/** Streams that have events, the next ones after another: $1 that one, $2 how many. Each is looked up by the one before it. */
export const STREAMS = `
  WITH RECURSIVE streams AS (
    (SELECT stream_id FROM events WHERE stream_id > $1 ORDER BY stream_id LIMIT 1)
    UNION ALL
    SELECT (SELECT e.stream_id FROM events e WHERE e.stream_id > s.stream_id ORDER BY e.stream_id LIMIT 1)
      FROM streams s WHERE s.stream_id IS NOT NULL
  )
  SELECT stream_id FROM streams WHERE stream_id IS NOT NULL LIMIT $2`;

/**
 * Removes the oldest events of streams: $1 streams, $2 how many of each, $3 an interval, the age from which on they go.
 * Answers the streams that have lost so many. Events have no index of their times: all changes would write at its one end.
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

/** What follows an event of a stream: $1 stream, $2 id. One row at least, unless the stream is gone. */
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
