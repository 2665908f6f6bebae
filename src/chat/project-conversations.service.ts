import type { ProjectId } from '../database/checked-id.js';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DatabaseService, type Tx } from '../database/database.service.js';
import { ProjectLifeService } from '../projects/project-life.service.js';
import { ConversationRemovalService } from './conversation-removal.service.js';
import { ConversationChangedChannel } from './conversations/conversation-changed.channel.js';
import { ConversationsRepository } from './conversations/conversations.repository.js';
import { TurnEndingsService } from './turns/turn-endings.service.js';
import { TurnStoppedChannel } from './turns/turn-stopped.channel.js';
import { TurnsRepository } from './turns/turns.repository.js';

/** Maintains conversations when projects are created, deleted, restored and purged. */
@Injectable()
export class ProjectConversationsService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly life: ProjectLifeService,
    private readonly conversations: ConversationsRepository,
    private readonly turns: TurnsRepository,
    private readonly removal: ConversationRemovalService,
    private readonly endings: TurnEndingsService,
    private readonly stopped: TurnStoppedChannel,
    private readonly changed: ConversationChangedChannel,
  ) {}

  onModuleInit(): void {
    this.life.onCreate(async (tx, { id: project_id }) => {
      await tx.withRepository(this.conversations).insert({ project_id, is_default: true });
    });
    this.life.onDelete(async (tx, { id }) => await this.end(tx, id));
    this.life.onRestore(async (tx, { id }) => await tx.withRepository(this.conversations).reopenAll(id));
    this.life.onPurge(async (tx, project_id) => {
      const next = await tx.withRepository(this.conversations).findOne({ select: { id: true }, where: { project_id } });
      return next !== null && (await this.removal.removePage(tx, next.id));
    });
  }

  /** Marks all conversations in a locked project as deleted, stops their active turns and closes their streams. */
  private async end(tx: Tx, project_id: ProjectId): Promise<void> {
    const conversations = await tx.withRepository(this.conversations).closeAll(project_id);
    const active = await tx.withRepository(this.turns).activeIn(project_id);
    for (const { id, conversation_id } of active) await this.endings.stop(tx, conversation_id, id);
    this.database.afterCommit(tx, () => {
      for (const id of conversations) this.changed.send(id);
      for (const { id, conversation_id } of active) this.stopped.send(conversation_id, id);
    });
  }
}
