import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Database } from '../../platform/database/database.service.js';
import { Jobs } from '../../platform/jobs/jobs.service.js';
import { WakeUps } from '../../platform/leases/wake-ups.js';
import { ConversationsRepository } from '../conversations/conversations.repository.js';
import { MessagesRepository } from '../messages/messages.repository.js';
import { type Holder, type LeasedTurn, TURN_TASK, TurnsRepository } from './turns.repository.js';

/** Most attempts of a turn that has not written anything. */
const MAX_ATTEMPTS = 3;
const RECOVERED_AT_ONCE = 100;
/** How long the events of a turn can be read after its end. */
const EVENTS_KEPT = `interval '10 min'`;
const EVICTED_AT_ONCE = 500;

/** Turns from their start to their claim, and how abandoned ones come back. */
@Injectable()
export class TurnQueue {
  private readonly wakeUps: WakeUps;

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly conversations: ConversationsRepository,
    private readonly messages: MessagesRepository,
    private readonly turns: TurnsRepository,
    jobs: Jobs,
  ) {
    this.wakeUps = new WakeUps(database, jobs, TURN_TASK, 'turn_id');
  }

  /** Has dispatched turns run, each as long as its job; called while modules initialise. */
  handle(run: (turn_id: string) => Promise<void>): void {
    this.wakeUps.handle(run, this.config.TURNS_CONCURRENCY);
  }

  /** Leaves a dispatched turn to another process. */
  async putBack(turn_id: string): Promise<void> {
    await this.wakeUps.putBack(turn_id);
  }

  /** As {@link TurnsRepository.claim}. */
  async claim(turn_id: string, owner: string, model: string): Promise<LeasedTurn | null> {
    return await this.turns.claim(turn_id, owner, model);
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
    return await this.database.transaction(async (tx) => {
      await tx.withRepository(this.conversations).lockById(conversation_id);
      const returned = holder === 'owner' ? 1 : 0;
      if (!(await tx.withRepository(this.turns).redispatch(turn, holder, returned, MAX_ATTEMPTS))) return false;
      await tx.withRepository(this.messages).joinWaiting(id, conversation_id);
      await this.wakeUps.add(tx, id);
      return true;
    });
  }

  /** Running turns whose owner has let the lease run out. */
  async expired(): Promise<LeasedTurn[]> {
    return await this.turns.expired(RECOVERED_AT_ONCE);
  }

  /** Wakes a worker for dispatched turns that nobody has claimed for a while. */
  async rewake(): Promise<void> {
    await this.wakeUps.repeat((tx) => tx.withRepository(this.turns).unclaimed(RECOVERED_AT_ONCE));
  }

  /** Removes the events of turns that ended some time ago. */
  async evictEvents(): Promise<void> {
    while ((await this.turns.evictEvents(EVENTS_KEPT, EVICTED_AT_ONCE)) === EVICTED_AT_ONCE);
  }
}
