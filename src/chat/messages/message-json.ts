/**
 * What ChatMessageResponse shows of a row `m` of messages, in its order. Every message that leaves the service is built
 * from this list by the database, so it is the same byte for byte wherever it is read.
 */
const COLUMNS = `
  m.id, m.project_id, m.conversation_id, m.role, m.content, m.sequence, iso_timestamp(m.created_at) AS created_at,
  m.affected_card_ids, m.is_partial, m.file_ids, m.client_msg_id, m.api_key_name, m.api_key_prefix, m.user_id, m.user_name,
  m.user_avatar_url, m.content_segments, m.tool_calls`;

/** JSON text of the one row of `from`, in which messages are `m`. */
export const messageJson = (from: string): string =>
  `(SELECT row_to_json(message)::text FROM (SELECT ${COLUMNS} ${from}) message)`;

/** JSON text of an array of the rows of `from` by sequence; `[]` when there are none. */
export const messagesJson = (from: string): string =>
  `(SELECT '[' || coalesce(string_agg(row_to_json(message)::text, ',' ORDER BY message.sequence), '') || ']' FROM (SELECT ${COLUMNS} ${from}) message)`;
