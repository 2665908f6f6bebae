import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../../database/database.service.js';
import { RowQueuesService } from '../../database/queues/row-queues.service.js';
import { ConversationsRepository } from '../conversations/conversations.repository.js';
import { MessagesRepository } from '../messages/messages.repository.js';
import {
  type ClaimedTurns,
  type Holder,
  type LeasedTurn,
  type Capacity,
  TurnsRepository,
  TURN_QUEUE,
} from './turns.repository.js';

/** Maximum number of attempts for a turn without visible output. */
export const MAX_ATTEMPTS = 3;
const RECOVERED_AT_ONCE = 100;
/** How long a turn's events are kept after the turn has ended. */
const EVENTS_KEPT = `interval '10 min'`;
const EVICTED_AT_ONCE = 500;

/** Hands turns to workers, and dispatches abandoned turns again. */
@Injectable()
export class TurnQueueService {
  constructor(
    private readonly database: DatabaseService,
    private readonly conversations: ConversationsRepository,
    private readonly messages: MessagesRepository,
    private readonly turns: TurnsRepository,
    private readonly queues: RowQueuesService,
  ) {}

  /** Works like {@link TurnsRepository.claim}. */
  async claim(owner: string, model: string, room: Capacity): Promise<ClaimedTurns> {
    return await this.turns.claim(owner, model, room);
  }

  /** Extends the lease on a running turn. @throws LeaseLost */
  async renew(turn: LeasedTurn): Promise<void> {
    await this.turns.renew(turn);
  }

  /**
   * Dispatches a running turn again if none of its output is visible yet. Messages that were waiting for the next turn then
   * join this turn. Returns false if the turn must end instead. An attempt does not count if its owner returns the turn because
   * the process is shutting down.
   */
  async redispatch(turn: LeasedTurn, holder: Holder): Promise<boolean> {
    const { id, conversation_id } = turn;
    const isDispatched = await this.database.transaction(async (tx) => {
      await tx.withRepository(this.conversations).lockById(conversation_id);
      const returned = holder === 'owner' ? 1 : 0;
      if (!(await tx.withRepository(this.turns).redispatch(turn, holder, returned, MAX_ATTEMPTS))) return false;
      await tx.withRepository(this.messages).joinWaiting(id, conversation_id);
      return true;
    });
    if (isDispatched) this.queues.wake(TURN_QUEUE);
    return isDispatched;
  }

  /** Returns running turns whose lease has expired. */
  async expired(): Promise<LeasedTurn[]> {
    return await this.turns.expired(RECOVERED_AT_ONCE);
  }

  /** Removes the events of turns that ended some time ago. */
  async evictEvents(): Promise<void> {
    while ((await this.turns.evictEvents(EVENTS_KEPT, EVICTED_AT_ONCE)) === EVICTED_AT_ONCE);
  }
}
