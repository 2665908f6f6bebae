import type { ConversationId } from '../database/checked-id.js';
import { Injectable } from '@nestjs/common';
import type { Tx } from '../database/database.service.js';
import { ConversationsRepository } from './conversations/conversations.repository.js';
import { WorkspaceChangesRepository } from './conversations/workspace-changes.repository.js';
import { MessagesRepository } from './messages/messages.repository.js';
import { TurnEventsRepository } from './turns/turn-events.repository.js';
import { TurnsRepository } from './turns/turns.repository.js';

/** Maximum number of rows that a statement removes. */
const PAGE = 1_000;

/** Removes conversations and their contents, one page of rows at a time. */
@Injectable()
export class ConversationRemovalService {
  constructor(
    private readonly conversations: ConversationsRepository,
    private readonly changes: WorkspaceChangesRepository,
    private readonly messages: MessagesRepository,
    private readonly turns: TurnsRepository,
    private readonly events: TurnEventsRepository,
  ) {}

  /**
   * Removes a page of rows that belong to a conversation, which must not have an active turn. Removes the conversation itself
   * last. Returns false once the conversation no longer exists.
   */
  async removePage(tx: Tx, id: ConversationId): Promise<boolean> {
    const turns = tx.withRepository(this.turns);
    // Foreign keys require that referencing rows are removed before the rows they reference.
    const steps = [
      () => tx.withRepository(this.changes).removePage(id, PAGE),
      () => tx.withRepository(this.events).removePage(id, PAGE),
      () => turns.forgetMessages(id, PAGE),
      () => tx.withRepository(this.messages).removePage(id, PAGE),
      () => turns.removePage(id, PAGE),
      async () => (await tx.withRepository(this.conversations).delete({ id })).affected ?? 0,
    ];
    for (const step of steps) if ((await step()) > 0) return true;
    return false;
  }
}
