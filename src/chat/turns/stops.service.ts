import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database, type Tx } from '../../platform/database/database.js';
import { NotFound, parseId } from '../../platform/errors/errors.js';
import { Notifications } from '../../platform/database/notifications.service.js';
import { ProjectsService } from '../../projects/projects.service.js';
import type { ChatStopRequest, ChatStopResponse } from '../chat.dto.js';
import { ConversationsService } from '../conversations/conversations.service.js';
import { STOPPED_TURNS } from '../notices.js';
import { TurnEndings } from './turn-endings.service.js';
import { TurnMetrics } from './turn-metrics.js';
import { TurnRunner } from './turn-runner.service.js';

/** Ends turns that users want no more of. */
@Injectable()
export class StopsService implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsService,
    private readonly conversations: ConversationsService,
    private readonly endings: TurnEndings,
    private readonly runner: TurnRunner,
    private readonly notifications: Notifications,
    private readonly metrics: TurnMetrics,
  ) {}

  onModuleInit(): void {
    // A process that does not hear of it learns it from its next write.
    this.notifications.listen(STOPPED_TURNS, (turn_id) => {
      if (turn_id !== null) this.runner.abandon(turn_id);
    });
  }

  /**
   * Ends the conversation's active turn, wherever it runs; with `turn_id` only if it is this one.
   *
   * @throws NotFound also for a turn that the conversation never had.
   */
  async stop(company_id: string, projectId: string, request: ChatStopRequest): Promise<ChatStopResponse> {
    const wanted = request.turn_id == null ? null : parseId(request.turn_id, 'Turn');
    const { conversation_id, turn_id } = await this.database.transaction(async (tx) => {
      const project = await this.projects.lock(tx, company_id, projectId);
      const { id } = await this.conversations.lock(tx, company_id, project.id, request.conversation_id);
      if (wanted !== null) await this.requireTurn(tx, id, wanted);
      return { conversation_id: id, turn_id: await this.endings.stop(tx, id, wanted) };
    });
    if (turn_id !== null) this.announce(conversation_id, turn_id);
    return { conversation_id, turn_id, stopped: turn_id !== null };
  }

  /** Tells everybody of a turn that was ended, once the transaction has committed. */
  announce(conversation_id: string, turn_id: string): void {
    this.metrics.ended('stopped');
    this.notifications.send(STOPPED_TURNS, turn_id);
    this.conversations.announce(conversation_id);
  }

  private async requireTurn(tx: Tx, conversation_id: string, turn_id: string): Promise<void> {
    const found: unknown[] = await tx.query('SELECT id FROM turns WHERE id = $1 AND conversation_id = $2', [
      turn_id,
      conversation_id,
    ]);
    if (found.length === 0) throw new NotFound('Turn');
  }
}
