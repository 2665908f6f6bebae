/** Columns that change while an agent writes a message. */
type Written = 'content' | 'affected_card_ids' | 'is_partial' | 'content_segments' | 'tool_calls';

/**
 * What ChatMessageResponse shows of a row `m` of messages, in its order. Every message that leaves the service is built
 * from this list by the database, so it is the same byte for byte wherever it is read.
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

/** JSON text of the one row of `from`, in which messages are `m`. */
export const messageJson = (from: string): string =>
  `(SELECT row_to_json(message)::text FROM (SELECT ${WHOLE} ${from}) message)`;

/** The same of a message as it is before the agent has said or done anything. */
export const emptyMessageJson = (from: string): string =>
  `(SELECT row_to_json(message)::text FROM (SELECT ${EMPTY} ${from}) message)`;

/** JSON text of an array of the rows of `from` by sequence; `[]` when there are none. */
export const messagesJson = (from: string): string =>
  `(SELECT '[' || coalesce(string_agg(row_to_json(message)::text, ',' ORDER BY message.sequence), '') || ']' FROM (SELECT ${WHOLE} ${from}) message)`;
