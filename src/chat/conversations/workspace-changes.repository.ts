import type { ConversationId } from '../../database/checked-id.js';
import type { WorkspaceChange as AgentWorkspaceChange } from '../../../packages/conversation/index.js';
import { EntityRepository } from '../../database/entity-repository.js';
import { WorkspaceChange } from './workspace-change.entity.js';

/** Returns SQL that assigns the conversation's unreported changes to the turn in the row `turn`. */
export const assignChanges = (turn: string): string => `
  UPDATE workspace_changes w SET turn_id = ${turn}.id FROM ${turn}
   WHERE w.conversation_id = ${turn}.conversation_id AND w.turn_id IS NULL`;

/** Returns SQL that removes the changes that the turn in the row `turn` has reported. */
export const removeChanges = (turn: string): string =>
  `DELETE FROM workspace_changes w USING ${turn} WHERE w.turn_id = ${turn}.id`;

/** Stores the files that were added or removed on behalf of a conversation, until a turn has reported them to the agent. */
export class WorkspaceChangesRepository extends EntityRepository(WorkspaceChange) {
  /** Returns the newest changes that a turn reports to the agent, oldest first. */
  async of(turn_id: string, limit: number): Promise<AgentWorkspaceChange[]> {
    const changes: AgentWorkspaceChange[] = await this.query(
      `SELECT kind, path FROM workspace_changes WHERE turn_id = $1 ORDER BY id DESC LIMIT ${limit}`,
      [turn_id],
    );
    return changes.reverse();
  }

  /** Removes up to `limit` changes. Returns their number. */
  async removePage(conversation_id: ConversationId, limit: number): Promise<number> {
    const [, rows]: [unknown[], number] = await this.query(
      'DELETE FROM workspace_changes WHERE id = ANY (ARRAY(SELECT id FROM workspace_changes WHERE conversation_id = $1 LIMIT $2))',
      [conversation_id, limit],
    );
    return rows;
  }
}
