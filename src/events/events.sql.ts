/** Events of a stream, at most, that are read at once, and bytes of their data. */
const MAX_EVENTS = 200;
const MAX_BYTES = 256 * 1024;

/**
 * Numbers events and adds them: $1 stream, $2 and $3 the actor. From here to the commit nobody else numbers events of the stream,
 * so it is the last statement of a transaction. A stream without a head fails. Where the company has followers, the numbers go
 * to the outbox as well.
 */
const append = (count: string, rows: string): string => `
  WITH head AS (
    UPDATE event_heads SET last_id = last_id + ${count} WHERE stream_id = $1 RETURNING company_id, last_id
  ), added AS (
    INSERT INTO events (stream_id, id, actor_kind, actor_id, at, type, data) ${rows} RETURNING id
  )
  INSERT INTO event_outbox (stream_id, id)
  SELECT $1, id FROM added WHERE EXISTS (SELECT FROM event_followers f WHERE f.company_id = (SELECT company_id FROM head))`;

/** One event, as most changes have: $4 its type, $5 its data as JSON text. */
export const APPEND_ONE = append('1', 'VALUES ($1, (SELECT last_id FROM head), $2, $3, clock_timestamp(), $4, $5)');

/** Several: $4 their types, $5 their data. */
export const APPEND = append(
  'cardinality($4::text[])',
  `SELECT $1, (SELECT last_id FROM head) - cardinality($4::text[]) + n.place, $2, $3, clock_timestamp(), n.type, n.data::json
       FROM unnest($4::text[], $5::text[]) WITH ORDINALITY n (type, data, place)`,
);

/** Takes the oldest events of each stream from the outbox: $1 how many. One at a time does so. */
export const TAKE_OUT = `
  WITH taken AS (
    DELETE FROM event_outbox
     WHERE ctid = ANY (ARRAY(SELECT ctid FROM event_outbox ORDER BY stream_id, id LIMIT $1))
    RETURNING stream_id, id
  )
  SELECT e.stream_id, h.company_id, h.of_company, e.id, e.type, iso_timestamp(e.at) AS at, e.actor_kind, e.actor_id, e.data::text AS data
    FROM taken t JOIN event_heads h USING (stream_id) JOIN events e USING (stream_id, id)
   ORDER BY e.stream_id, e.id`;

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
