import { Injectable } from '@nestjs/common';
import { DatabaseService, type Tx } from '../../database/database.service.js';
import { RowQueuesService } from '../../database/queues/row-queues.service.js';
import { ProjectEventsService } from '../../events/project-events.service.js';
import type { ConversationHead } from '../conversations/conversations.repository.js';
import type { Turn } from './turn.entity.js';
import { TURN_QUEUE, TurnsRepository } from './turns.repository.js';

@Injectable()
export class TurnStartsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly turns: TurnsRepository,
    private readonly queues: RowQueuesService,
    private readonly events: ProjectEventsService,
  ) {}

  /** Starts a turn with {@link TurnsRepository.start} and notifies the workers after the commit. */
  async start(
    tx: Tx,
    turn_id: string,
    conversation: Pick<ConversationHead, 'id' | 'project_id'>,
    author: Pick<Turn, 'company_id' | 'user_id' | 'api_key_id'>,
  ): Promise<void> {
    const { id: conversation_id, project_id } = conversation;
    this.events.note(tx, project_id, 'turn.dispatched', { conversation_id, turn_id });
    this.database.afterCommit(tx, () => this.queues.wake(TURN_QUEUE));
    await tx.withRepository(this.turns).start(turn_id, conversation, author);
  }
}
