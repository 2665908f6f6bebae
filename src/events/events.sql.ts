/** Events of a stream, at most, that are read at once, and bytes of their data. */
const MAX_EVENTS = 200;
const MAX_BYTES = 256 * 1024;

/**
 * Numbers events and adds them: $1 stream, $2 types, $3 data as JSON texts, $4 and $5 the actor. From here to the commit
 * nobody else numbers events of the stream, so it is the last statement of a transaction. A stream without a head fails.
 */
export const APPEND = `
  WITH head AS (
    UPDATE event_heads SET last_id = last_id + cardinality($2::text[]) WHERE stream_id = $1
    RETURNING last_id - cardinality($2::text[]) AS before
  )
  INSERT INTO events (stream_id, id, type, at, actor_kind, actor_id, data)
  SELECT $1, (SELECT before FROM head) + n.place, n.type, clock_timestamp(), $4, $5, n.data::json
    FROM unnest($2::text[], $3::text[]) WITH ORDINALITY n (type, data, place)`;

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
