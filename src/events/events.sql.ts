/** Events of a stream, at most, that are read at once, and bytes of their data. */
const MAX_EVENTS = 200;
const MAX_BYTES = 256 * 1024;

/**
 * Numbers events and adds them: $1 stream, $2 and $3 the actor. From here to the commit nobody else numbers events of the stream,
 * so it is the last statement of a transaction. A stream without a head fails.
 */
const append = (count: number | string, rows: string): string => `
  WITH head AS (UPDATE event_heads SET last_id = last_id + ${count} WHERE stream_id = $1 RETURNING last_id)
  INSERT INTO events (stream_id, id, actor_kind, actor_id, at, type, data) ${rows}`;

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

/**
 * The events of followed companies that were not relayed, those of each stream in their order: $1 how many. A stream whose events
 * are gone takes the place of none that has some.
 */
const unrelayed = (streams: string): string => `
  SELECT h.stream_id, h.company_id, h.of_company, e.id, e.type, iso_timestamp(e.at) AS at, e.actor_kind, e.actor_id, e.data::text AS data
    FROM (SELECT stream_id, company_id, of_company, relayed_id FROM event_heads h
           WHERE ${streams} AND last_id > relayed_id
             AND EXISTS (SELECT FROM event_followers f WHERE f.company_id = h.company_id)
             AND EXISTS (SELECT FROM events e WHERE e.stream_id = h.stream_id AND e.id > h.relayed_id)
           ORDER BY stream_id LIMIT $1) h
   CROSS JOIN LATERAL (
      SELECT id, type, at, actor_kind, actor_id, data FROM events
       WHERE stream_id = h.stream_id AND id > h.relayed_id ORDER BY id LIMIT $1) e
   ORDER BY h.stream_id, e.id LIMIT $1`;

/** Those of some streams: $2 which. */
export const UNRELAYED = unrelayed('stream_id = ANY ($2::uuid[])');

/** Those of all. */
export const ALL_UNRELAYED = unrelayed('company_id = ANY (ARRAY(SELECT company_id FROM event_followers))');

/** Follows a company, unless it is followed: its events count as relayed so far. Locks heads in the order in which everybody does. */
export const FOLLOW = `
  WITH begun AS (
    INSERT INTO event_followers (company_id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING company_id
  ), locked AS (
    SELECT stream_id FROM event_heads WHERE company_id = (SELECT company_id FROM begun)
     ORDER BY stream_id FOR NO KEY UPDATE
  )
  UPDATE event_heads h SET relayed_id = h.last_id FROM locked l WHERE h.stream_id = l.stream_id`;

/** Notes how far streams were relayed: $1 streams, $2 ids. Locks heads in the order in which everybody does. */
export const MARK_RELAYED = `
  WITH locked AS (
    SELECT h.stream_id, r.id FROM event_heads h JOIN unnest($1::uuid[], $2::bigint[]) r (stream_id, id) USING (stream_id)
     ORDER BY h.stream_id FOR NO KEY UPDATE OF h
  )
  UPDATE event_heads h SET relayed_id = l.id FROM locked l WHERE h.stream_id = l.stream_id`;

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
 * Removes the oldest events of streams: $1 streams, $2 how many of each, $3 an interval, the age from which on they go, unless they
 * are still to be relayed. Answers the streams that have lost so many. Events have no index of their times: all changes would write
 * at its one end.
 */
export const REMOVE_OLD = `
  WITH old AS (
    SELECT h.stream_id, max(few.id) AS last_id
      FROM event_heads h
     CROSS JOIN LATERAL (SELECT id, at FROM events WHERE stream_id = h.stream_id ORDER BY id LIMIT $2) few
     WHERE h.stream_id = ANY ($1::uuid[])
       AND (SELECT at FROM events WHERE stream_id = h.stream_id ORDER BY id LIMIT 1) < now() - $3::interval
       AND few.at < now() - $3::interval
       AND (few.id <= h.relayed_id OR NOT EXISTS (SELECT FROM event_followers f WHERE f.company_id = h.company_id))
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
