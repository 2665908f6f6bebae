import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { WorkspaceChange as AgentWorkspaceChange } from '../../agent/agent.js';
import { WorkspaceChanges } from '../../files/workspace-changes.js';
import type { Tx } from '../../platform/database/database.js';
import { ConversationsService } from './conversations.service.js';
import { WorkspaceChange } from './workspace-change.entity.js';

/** Most changes that a turn tells the agent of; the newest ones. */
const MOST_CHANGES = 100;

/** Files that came or went in the name of a conversation: its next turn tells the agent. */
@Injectable()
export class WorkspaceChangesService implements OnModuleInit {
  constructor(
    private readonly workspaces: WorkspaceChanges,
    private readonly conversations: ConversationsService,
  ) {}

  onModuleInit(): void {
    this.workspaces.subscribe(async (tx, _caller, { project_id, conversation_id, kind, path }) => {
      const conversation = await this.conversations.require(project_id, conversation_id, tx);
      await tx.insert(WorkspaceChange, { project_id, conversation_id: conversation.id, kind, path });
    });
  }

  /** What a turn tells the agent, oldest first. */
  async of(tx: Tx, turn_id: string): Promise<AgentWorkspaceChange[]> {
    const changes: AgentWorkspaceChange[] = await tx.query(
      `SELECT kind, path FROM workspace_changes WHERE turn_id = $1 ORDER BY id DESC LIMIT ${MOST_CHANGES}`,
      [turn_id],
    );
    return changes.reverse();
  }
}
