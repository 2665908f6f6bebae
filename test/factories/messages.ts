import type pg from 'pg';
import type { Session } from '../support/session.js';

/** Columns of a message as SQL, in which `i` is its sequence. */
export interface MessageColumns {
  content: string;
  file_ids?: string;
  tool_calls?: string;
}

/** A conversation of so many messages, of a user or, with calls, of the agent, past the service. Answers its id. */
export async function storeConversation(
  database: pg.Client,
  { company, user }: Session,
  project: string,
  count: number,
  { content, file_ids, tool_calls }: MessageColumns,
): Promise<string> {
  const { rows } = await database.query<{ id: string }>(
    'INSERT INTO conversations (project_id, last_sequence) VALUES ($1, $2) RETURNING id',
    [project, count],
  );
  const id = rows[0]?.id as string;
  await database.query(
    `WITH turn AS (
       INSERT INTO turns (project_id, conversation_id, company_id, user_id, state, outcome, due_at, ended_at)
       VALUES ($1, $2, $4, $5, 'ended', 'completed', NULL, now()) RETURNING id
     )
     INSERT INTO messages (project_id, conversation_id, sequence, turn_id, role, content, file_ids, tool_calls,
                           content_segments, user_id)
     SELECT $1, $2, i, turn.id, $6, ${content}, ${file_ids ?? 'NULL'}, ${tool_calls ?? 'NULL'}, ${tool_calls ?? 'NULL'},
            CASE $6 WHEN 'user' THEN $5::text END
       FROM turn, generate_series(1, $3::integer) i`,
    [project, id, count, company, user, tool_calls === undefined ? 'user' : 'assistant'],
  );
  return id;
}
