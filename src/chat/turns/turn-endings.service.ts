import type { ConversationId } from '../../database/checked-id.js';
import { Injectable } from '@nestjs/common';
import { ProjectEventsService } from '../../events/project-events.service.js';
import { DatabaseService, pipelined, type Tx } from '../../database/database.service.js';
import { LeaseLost } from '../../common/leases/lease.js';
import { ProjectsRepository } from '../../projects/projects.repository.js';
import { ConversationChangedChannel } from '../conversations/conversation-changed.channel.js';
import { MessagesRepository } from '../messages/messages.repository.js';
import { leaseLostIfMissing } from './lease-lost-if-missing.js';
import { spenderOf } from './turn.entity.js';
import { type Holder, type LeasedTurn, TurnsRepository } from './turns.repository.js';
import { type Ending, TurnClosingService } from './turn-closing.service.js';
import { TurnStartsService } from './turn-starts.service.js';
import { CALL_SENTENCES, TURN_SENTENCES } from '../../agent/turn-sentences.js';

/** Ending of a turn whose process died after the agent had written something. */
export const INTERRUPTED: Ending = {
  outcome: 'interrupted',
  running: { error: CALL_SENTENCES.interrupted, error_code: 'interrupted' },
  notice: TURN_SENTENCES.interrupted,
};

/** Ending of a turn that a user stopped. */
const STOPPED: Ending = {
  outcome: 'stopped',
  running: { error: CALL_SENTENCES.stopped, error_code: 'stopped' },
};

/**
 * Ends turns. A single transaction stores the finished message, records the charge and, if messages are waiting, starts the
 * next turn.
 */
@Injectable()
export class TurnEndingsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly projects: ProjectsRepository,
    private readonly messages: MessagesRepository,
    private readonly turns: TurnsRepository,
    private readonly starts: TurnStartsService,
    private readonly closing: TurnClosingService,
    private readonly changed: ConversationChangedChannel,
    private readonly events: ProjectEventsService,
  ) {}

  /**
   * Ends a running turn and starts the next turn if messages are waiting.
   *
   * @throws LeaseLost before any change, if the holder has lost the turn
   */
  async end(leased: LeasedTurn, holder: Holder, ending: Ending): Promise<void> {
    const { project_id, conversation_id } = leased;
    await this.database.transaction(async (tx) => {
      const turns = tx.withRepository(this.turns);
      // The project must be locked before the conversation and the turn.
      const [, turn, { waiting, new_turn_id }] = await pipelined(
        tx.withRepository(this.projects).lockById(project_id).catch(leaseLostIfMissing),
        turns.lockWithConversation(leased, holder),
        turns.situation(project_id, conversation_id).catch(leaseLostIfMissing),
      );
      if (turn === undefined) throw new LeaseLost();
      this.events.by(tx, { kind: 'agent', id: turn.id });
      const messages = tx.withRepository(this.messages);
      const detached = ending.leavesOthers === true ? await messages.detachOtherAuthors(turn.id, spenderOf(turn)) : 0;
      await this.closing.close(tx, turn, ending);
      if (waiting + detached > 0) await this.starts.start(tx, new_turn_id, { id: conversation_id, project_id }, turn);
    });
    this.changed.send(conversation_id);
  }

  /**
   * Ends the active turn of a conversation, regardless of the process that runs it. With `turn_id`, ends only that turn. Keeps
   * the stored output, and the process can no longer write. Does not start the next turn for waiting messages. The project and
   * the conversation must be locked.
   *
   * @returns the id of the turn, or null if no turn was ended
   */
  async stop(tx: Tx, conversation_id: ConversationId, turn_id: string | null): Promise<string | null> {
    const turn = await tx.withRepository(this.turns).lockActive(conversation_id, turn_id);
    if (turn === undefined) return null;
    await this.closing.close(tx, turn, STOPPED);
    return turn.id;
  }
}
