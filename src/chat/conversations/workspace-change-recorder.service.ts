import { Injectable, type OnModuleInit } from '@nestjs/common';
import { WorkspaceChangesService } from '../../files/workspace-changes.service.js';
import { ConversationsRepository } from './conversations.repository.js';
import { WorkspaceChangesRepository } from './workspace-changes.repository.js';

/**
 * Records files that were added or removed on behalf of a conversation. The next turn in the conversation reports them to the
 * agent.
 */
@Injectable()
export class WorkspaceChangeRecorderService implements OnModuleInit {
  constructor(
    private readonly workspaces: WorkspaceChangesService,
    private readonly conversations: ConversationsRepository,
    private readonly changes: WorkspaceChangesRepository,
  ) {}

  onModuleInit(): void {
    this.workspaces.subscribe(async (tx, _caller, { project_id, conversation_id, kind, path }) => {
      const conversation = await tx.withRepository(this.conversations).require(project_id, conversation_id);
      await tx.withRepository(this.changes).insert({ project_id, conversation_id: conversation.id, kind, path });
    });
  }
}
