import { MAX_WINDOW_BYTES } from './message-window.js';

/** Columns that change while an agent writes a message. */
type Written = 'content' | 'affected_card_ids' | 'is_partial' | 'content_segments' | 'tool_calls';

/**
 * Columns of a ChatMessageResponse in field order, read from a row `m` of messages. The database builds every response from
 * this list, so all readers of a message get identical bytes.
 */
const columns = (written: Record<Written, string>): string => `
  m.id, m.project_id, m.conversation_id, m.role, ${written.content} AS content, m.sequence, iso_timestamp(m.created_at) AS created_at,
  ${written.affected_card_ids} AS affected_card_ids, ${written.is_partial} AS is_partial, m.file_ids, m.client_msg_id, m.api_key_name, m.api_key_prefix,
  m.user_id, m.user_name, m.user_avatar_url, ${written.content_segments} AS content_segments, ${written.tool_calls} AS tool_calls`;

const WHOLE = columns({
  content: 'm.content',
  affected_card_ids: 'm.affected_card_ids',
  is_partial: 'm.is_partial',
  content_segments: 'm.content_segments',
  tool_calls: 'm.tool_calls',
});
const EMPTY = columns({
  content: `''`,
  affected_card_ids: `'[]'::json`,
  is_partial: 'true',
  content_segments: `'[]'::json`,
  tool_calls: `'[]'::json`,
});

/**
 * SQL expression for the JSON text of the message `m`. `from` is the FROM clause that selects `m`, or is empty if the outer
 * query does.
 */
export const messageJson = (from: string): string =>
  `(SELECT row_to_json(message)::text FROM (SELECT ${WHOLE} ${from}) message)`;

/** Like {@link messageJson}, but for the message as it was before the agent produced any output. */
export const emptyMessageJson = (from: string): string =>
  `(SELECT row_to_json(message)::text FROM (SELECT ${EMPTY} ${from}) message)`;

/** Number of messages converted to JSON at a time if a window may have to be truncated. */
const STEP = 10;
/** Maximum stored size of a small value, in bytes. The decompressed value is at most a hundred times as large. */
const SMALL_BYTES = 100;

/**
 * Requested messages from a conversation `c`: `limit` messages up to the sequence number `last`. Both are SQL expressions of
 * type bigint.
 */
interface Window {
  last: string;
  limit: string;
}

/** FROM item `span`: the sequence number of the first message in a window. */
const spanOf = ({ last, limit }: Window): string =>
  `LATERAL (SELECT greatest(${last} - ${limit} + 1, 1) AS first OFFSET 0) span`;

// OFFSET is an optimization fence. Without it, each use of a message's JSON would build the JSON again. The sort order matches
// the index, so PostgreSQL does not have to sort the JSON.
const builtMessages = (range: string, isOmitted = 'false'): string => `
  SELECT m.sequence, CASE WHEN NOT m.is_partial THEN m.xmin::text END AS version,
         CASE WHEN ${isOmitted} THEN NULL ELSE ${messageJson('')} END AS json
    FROM messages m WHERE m.conversation_id = c.id AND ${range}
   ORDER BY m.sequence OFFSET 0`;
const JSON_PARTS = `
  string_agg(json, ',' ORDER BY sequence) AS json,
  string_agg(concat(octet_length(json), ':', version), ',' ORDER BY sequence) AS parts`;

/**
 * FROM item that builds the JSON of the messages after `before` up to `last` in a single step, with its total size in `bytes`.
 * The size is the length of the JSON, because escaping makes a string up to six times as long. A message that may exceed its
 * share of `most` bytes is not built and counts as more than `most` bytes.
 */
const builtTogether = (before: string, last: string, most: number): string => {
  const share = `${most / 8} / greatest(${last} - ${before}, 1)`;
  // PostgreSQL knows the length of a text column without reading the value. For other types it knows only the stored size,
  // which rarely exceeds the JSON length.
  const isLarge = [
    ...['content', 'client_msg_id'].map((column) => `octet_length(m.${column}) > ${share}`),
    ...['content_segments', 'tool_calls', 'file_ids'].map(
      (column) => `pg_column_size(m.${column}) > ${SMALL_BYTES}
        AND (pg_column_size(m.${column}) > ${share} OR octet_length(m.${column}::text) > ${share})`,
    ),
  ].join(' OR ');
  return `(
    SELECT ${JSON_PARTS}, coalesce(sum(coalesce(octet_length(json), ${most} + 1)), 0) AS bytes
      FROM (${builtMessages(`m.sequence > ${before} AND m.sequence <= ${last}`, isLarge)}) every)`;
};

/**
 * FROM item `w`: a {@link MessageWindow} without cached messages.
 *
 * Omits the oldest messages of a window that exceeds {@link MAX_WINDOW_BYTES}. A window of small messages is built in a single
 * step. Any other window is built backwards in steps of a few messages, so that few of the built messages are discarded.
 */
export const messageWindow = ({ last, limit }: Window): string => `
  ${spanOf({ last, limit })},
  LATERAL (
    SELECT span.first, ${last} AS last, NULL AS versions, whole.bytes > ${MAX_WINDOW_BYTES} AS is_cut,
           coalesce(cut.json, whole.json) AS made, coalesce(cut.parts, whole.parts) AS parts
      FROM ${builtTogether('(span.first - 1)', last, MAX_WINDOW_BYTES)} whole,
      LATERAL (
        WITH RECURSIVE part AS (
          SELECT ${last} + 1 AS since, 0::bigint AS bytes, NULL::text AS json, NULL::text AS parts
           WHERE whole.bytes > ${MAX_WINDOW_BYTES}
           UNION ALL
          SELECT older.since, part.bytes + older.bytes, older.json, older.parts
            FROM part, LATERAL (
              SELECT min(sequence)::bigint AS since, sum(octet_length(json)) AS bytes, ${JSON_PARTS}
                FROM (SELECT *, part.bytes + sum(octet_length(json)) OVER (ORDER BY sequence DESC) AS together
                        FROM (${builtMessages(`m.sequence >= greatest(part.since - ${STEP}, span.first) AND m.sequence < part.since`)}) few) counted
               WHERE together <= ${MAX_WINDOW_BYTES} OR sequence = ${last}) older
           WHERE older.since IS NOT NULL
        ) SELECT string_agg(json, ',' ORDER BY since) AS json, string_agg(parts, ',' ORDER BY since) AS parts FROM part) cut) w`;

/**
 * FROM item `w`: a {@link MessageWindow} for which messages `cached.first` to `cached.last` are cached. It contains the
 * versions of the cached messages and the JSON of all messages after them, unless that JSON exceeds `most` bytes. The cache is
 * ignored if its first message comes after the start of the window.
 */
export const cachedMessageWindow = (
  { last, limit }: Window,
  cached: { first: string; last: string },
  most: number,
): string => `
  ${spanOf({ last, limit })},
  LATERAL (SELECT CASE WHEN ${cached.first} <= span.first THEN greatest(least(${cached.last}, ${last}), span.first - 1)
                       ELSE span.first - 1 END AS last OFFSET 0) cached,
  LATERAL (
    SELECT span.first, ${last} AS last,
           (SELECT string_agg(m.xmin::text, ',' ORDER BY m.sequence) FROM messages m
             WHERE m.conversation_id = c.id AND m.sequence >= span.first AND m.sequence <= cached.last) AS versions,
           more.bytes > ${most} AS is_cut,
           CASE WHEN more.bytes <= ${most} THEN more.json END AS made,
           CASE WHEN more.bytes <= ${most} THEN more.parts END AS parts
      FROM ${builtTogether('cached.last', last, most)} more) w`;
