import { Injectable } from '@nestjs/common';
import { ProjectEventsService } from '../../events/project-events.service.js';
import { DatabaseService, type Tx } from '../../database/database.service.js';
import type { Project } from '../../projects/project.entity.js';
import { ProjectsRepository } from '../../projects/projects.repository.js';
import { ConversationChangedChannel } from '../conversations/conversation-changed.channel.js';
import { leaseLostIfMissing } from './lease-lost-if-missing.js';
import type { Progress } from './progress.js';
import { type LeasedTurn, TurnsRepository } from './turns.repository.js';

/**
 * Stores the agent's output as it arrives. Each event is stored in the same transaction as its effect on the message, so every
 * read of the message includes exactly the events before `next_seq`.
 */
@Injectable()
export class TurnJournalService {
  constructor(
    private readonly database: DatabaseService,
    private readonly projects: ProjectsRepository,
    private readonly turns: TurnsRepository,
    private readonly changed: ConversationChangedChannel,
    private readonly events: ProjectEventsService,
  ) {}

  /** Creates a turn's partial message with the turn's first events. @throws LeaseLost */
  async begin(turn: LeasedTurn, progress: Progress): Promise<void> {
    await this.database.transaction(async (tx) => {
      const message_id = await tx.withRepository(this.turns).begin(turn, progress);
      const { id, project_id, conversation_id } = turn;
      this.events.by(tx, { kind: 'agent', id });
      this.events.note(tx, project_id, 'message.created', { conversation_id, message_id, role: 'assistant' });
    });
    this.changed.send(turn.conversation_id);
  }

  /** Updates the partial message and adds its new events. @throws LeaseLost */
  async advance(turn: LeasedTurn, progress: Progress): Promise<void> {
    await this.turns.advance(turn, progress);
    this.changed.send(turn.conversation_id);
  }

  /** Adds text events without updating the row of the partial message. A later write updates it. @throws LeaseLost */
  async continue(turn: LeasedTurn, progress: Progress): Promise<void> {
    await this.turns.continue(turn, progress);
    this.changed.send(turn.conversation_id);
  }

  /**
   * Runs a tool's work and stores the progress it returns, in a single transaction.
   *
   * @throws LeaseLost before the work has started
   */
  async perform(turn: LeasedTurn, work: (tx: Tx, project: Project) => Promise<Progress>): Promise<void> {
    await this.database.transaction(async (tx) => {
      const turns = tx.withRepository(this.turns);
      const project = await tx.withRepository(this.projects).lockById(turn.project_id).catch(leaseLostIfMissing);
      await turns.lockForOwner(turn);
      this.events.by(tx, { kind: 'agent', id: turn.id });
      await turns.advance(turn, await work(tx, project));
    });
    this.changed.send(turn.conversation_id);
  }
}
