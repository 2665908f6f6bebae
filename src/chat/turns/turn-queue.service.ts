import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../../database/database.service.js';
import { RowQueuesService } from '../../database/queues/row-queues.service.js';
import { ConversationsRepository } from '../conversations/conversations.repository.js';
import { MessagesRepository } from '../messages/messages.repository.js';
import {
  type ClaimedTurns,
  type Holder,
  type LeasedTurn,
  type Room,
  TurnsRepository,
  TURN_QUEUE,
} from './turns.repository.js';

/** Most attempts of a turn that has not written anything. */
export const MAX_ATTEMPTS = 3;
const RECOVERED_AT_ONCE = 100;
/** How long the events of a turn can be read after its end. */
const EVENTS_KEPT = `interval '10 min'`;
const EVICTED_AT_ONCE = 500;

/** Turns from their start to their claim, and how abandoned ones come back. */
@Injectable()
export class TurnQueueService {
  constructor(
    private readonly database: DatabaseService,
    private readonly conversations: ConversationsRepository,
    private readonly messages: MessagesRepository,
    private readonly turns: TurnsRepository,
    private readonly queues: RowQueuesService,
  ) {}

  /** As {@link TurnsRepository.claim}. */
  async claim(owner: string, model: string, room: Room): Promise<ClaimedTurns> {
    return await this.turns.claim(owner, model, room);
  }

  /** Keeps a running turn. @throws LeaseLost */
  async renew(turn: LeasedTurn): Promise<void> {
    await this.turns.renew(turn);
  }

  /**
   * Dispatches a running turn again, when nothing of it has been seen yet; messages that waited behind it join it. False
   * when it has to end instead. A process that goes away in peace gives its attempt back; `credits` is what it has cost.
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

  /** Running turns whose owner has let the lease run out. */
  async expired(): Promise<LeasedTurn[]> {
    return await this.turns.expired(RECOVERED_AT_ONCE);
  }

  /** Removes the events of turns that ended some time ago. */
  async evictEvents(): Promise<void> {
    while ((await this.turns.evictEvents(EVENTS_KEPT, EVICTED_AT_ONCE)) === EVICTED_AT_ONCE);
  }
}
