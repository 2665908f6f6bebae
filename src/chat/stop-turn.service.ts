import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ProjectEventsService } from '../events/project-events.service.js';
import { DatabaseService } from '../database/database.service.js';
import { NotFound, parseId } from '../common/errors/errors.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import type { ChatStopRequest, ChatStopResponse } from './chat.dto.js';
import { ConversationsRepository } from './conversations/conversations.repository.js';
import { TurnEndingsService } from './turns/turn-endings.service.js';
import { TurnWorkerService } from './turns/turn-worker.service.js';
import { TurnStoppedChannel } from './turns/turn-stopped.channel.js';
import { TurnsRepository } from './turns/turns.repository.js';
import type { ProjectEditor } from '../projects/project-access.js';

/** Stops turns on a user's request. */
@Injectable()
export class StopTurnService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly projects: ProjectsRepository,
    private readonly conversations: ConversationsRepository,
    private readonly turns: TurnsRepository,
    private readonly endings: TurnEndingsService,
    private readonly worker: TurnWorkerService,
    private readonly stopped: TurnStoppedChannel,
    private readonly events: ProjectEventsService,
  ) {}

  onModuleInit(): void {
    // If a process misses this notification, its next write for the turn fails.
    this.stopped.listen((turn_id) => {
      if (turn_id !== null) this.worker.abandon(turn_id);
    });
  }

  /**
   * Ends the conversation's active turn, regardless of the process that runs it. With `turn_id`, ends only that turn.
   *
   * @throws NotFound if the conversation does not exist, or if the turn does not belong to the conversation
   */
  async stop(editor: ProjectEditor, projectId: string, request: ChatStopRequest): Promise<ChatStopResponse> {
    const turnId = request.turn_id == null ? null : parseId(request.turn_id, 'Turn');
    const result = await this.database.transaction(async (tx) => {
      const project = await tx.withRepository(this.projects).lock(editor, projectId);
      this.events.by(tx, editor.caller);
      const { id } = await tx.withRepository(this.conversations).lock(editor, project.id, request.conversation_id);
      if (turnId !== null && !(await tx.withRepository(this.turns).existsBy({ id: turnId, conversation_id: id }))) {
        throw new NotFound('Turn');
      }
      return await editor.once(tx, async () => {
        const turn_id = await this.endings.stop(tx, id, turnId);
        return { conversation_id: id, turn_id, stopped: turn_id !== null };
      });
    });
    if (result.turn_id !== null) this.stopped.send(result.conversation_id, result.turn_id);
    return result;
  }
}
