import type { Tx } from '../../platform/database/database.js';

/** The conversation whose rows go is $1, the most rows of one statement $2. Each leaves nothing that refers to what goes after it. */
const STATEMENTS = [
  'DELETE FROM workspace_changes WHERE id IN (SELECT id FROM workspace_changes WHERE conversation_id = $1 LIMIT $2)',
  `DELETE FROM turn_events WHERE (turn_id, seq) IN (
     SELECT e.turn_id, e.seq FROM turns t JOIN turn_events e ON e.turn_id = t.id
      WHERE t.conversation_id = $1 AND t.keeps_events LIMIT $2)`,
  // Messages and turns refer to each other.
  `UPDATE turns SET message_id = NULL WHERE id IN (
     SELECT id FROM turns WHERE conversation_id = $1 AND message_id IS NOT NULL LIMIT $2)`,
  // A message refers to an older one whose question it has answered.
  'DELETE FROM messages WHERE id IN (SELECT id FROM messages WHERE conversation_id = $1 ORDER BY sequence DESC LIMIT $2)',
  'DELETE FROM turns WHERE id IN (SELECT id FROM turns WHERE conversation_id = $1 LIMIT $2)',
  'DELETE FROM conversations WHERE id IN (SELECT id FROM conversations WHERE id = $1 LIMIT $2)',
];
const PAGE = 1_000;

/** Removes a page of a conversation in which no turn is active, at last its own row; false when nothing was left. */
export async function removePage(tx: Tx, conversation_id: string): Promise<boolean> {
  for (const statement of STATEMENTS) {
    const [, rows]: [unknown[], number] = await tx.query(statement, [conversation_id, PAGE]);
    if (rows > 0) return true;
  }
  return false;
}
