import type pg from 'pg';
import type { Session } from '../support/session.js';

/** SQL expressions for the columns of a message. They may use `i`, the message number, which starts at 1. */
export interface MessageColumns {
  content: string;
  file_ids?: string;
  tool_calls?: string;
}

/**
 * Writes a conversation with `count` messages directly to the database and returns its id. Messages with tool calls are
 * from the agent, and all others are from the user.
 */
export async function storeConversation(
  database: pg.Client,
  session: Session,
  project: string,
  count: number,
  columns: MessageColumns,
): Promise<string> {
  const { rows } = await database.query<{ id: string }>(
    'INSERT INTO conversations (project_id) VALUES ($1) RETURNING id',
    [project],
  );
  const id = rows[0]?.id as string;
  await storeMessages(database, session, project, id, count, columns);
  return id;
}

/** Appends `count` messages to a conversation. */
export async function storeMessages(
  database: pg.Client,
  { company, user }: Session,
  project: string,
  id: string,
  count: number,
  { content, file_ids, tool_calls }: MessageColumns,
): Promise<void> {
  await database.query(
    `WITH before AS (SELECT last_sequence FROM conversations WHERE id = $2),
     told AS (UPDATE conversations SET last_sequence = last_sequence + $3::integer WHERE id = $2),
     turn AS (
       INSERT INTO turns (project_id, conversation_id, company_id, user_id, state, outcome, due_at, ended_at)
       VALUES ($1, $2, $4, $5, 'ended', 'completed', NULL, now()) RETURNING id
     )
     INSERT INTO messages (project_id, conversation_id, sequence, turn_id, role, content, file_ids, tool_calls,
                           content_segments, user_id)
     SELECT $1, $2, before.last_sequence + i, turn.id, $6, ${content}, ${file_ids ?? 'NULL'}, ${tool_calls ?? 'NULL'}, ${tool_calls ?? 'NULL'},
            CASE $6 WHEN 'user' THEN $5::text END
       FROM turn, before, generate_series(1, $3::integer) i`,
    [project, id, count, company, user, tool_calls === undefined ? 'user' : 'assistant'],
  );
}
