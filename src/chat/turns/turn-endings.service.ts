import { Injectable } from '@nestjs/common';
import { ProjectEventsService } from '../../events/project-events.service.js';
import { DatabaseService, pipelined, type Tx } from '../../database/database.service.js';
import { RowQueuesService } from '../../database/queues/row-queues.service.js';
import { LeaseLost } from '../../common/leases/lease.js';
import { ProjectsRepository } from '../../projects/projects.repository.js';
import { UsageService } from '../../usage/usage.service.js';
import { ConversationChangedChannel } from '../conversations/conversation-changed.channel.js';
import { ConversationsRepository } from '../conversations/conversations.repository.js';
import { AnswersService } from '../messages/answers.service.js';
import { closingEvents, EMPTY_BODY, fold, type MessageBody } from '../messages/message-body.js';
import { MessagesRepository } from '../messages/messages.repository.js';
import { withEvents } from '../messages/unwritten-events.js';
import { lostWhereGone } from './lost-where-gone.js';
import { firstUnstored, type Progress } from './progress.js';
import { bodyEvent, endedEvent, type EventRow, STARTED, TurnEventsRepository } from './turn-events.repository.js';
import { spenderOf, type TurnOutcome } from './turn.entity.js';
import { type Holder, type LeasedTurn, type LockedTurn, TurnsRepository, TURN_QUEUE } from './turns.repository.js';
import type { ConversationId } from '../messages/conversation-id.js';

/** How a turn ends. */
export interface Ending {
  outcome: TurnOutcome;
  /** Final content of the agent's message; absent: the stored content. */
  progress?: Progress;
  /** How calls that still run are ended. */
  running?: { error: string; error_code: string };
  /** Text of a system message to add to the conversation. */
  notice?: string;
  /** Whether the turn was over for its asker alone: messages of others are for the next one. */
  leavesOthers?: boolean;
}

/** The end of a turn whose process died after the agent had written something. */
export const INTERRUPTED: Ending = {
  outcome: 'interrupted',
  running: { error: 'The turn was interrupted before the call ended', error_code: 'interrupted' },
  notice: 'The agent was interrupted before it had finished.',
};

/** The end of a turn that a user stopped. */
const STOPPED: Ending = {
  outcome: 'stopped',
  running: { error: 'The turn was stopped before the call ended', error_code: 'stopped' },
};

/** The end of turns: one transaction for the finished message, the charge and the next turn. */
@Injectable()
export class TurnEndingsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly projects: ProjectsRepository,
    private readonly conversations: ConversationsRepository,
    private readonly messages: MessagesRepository,
    private readonly turns: TurnsRepository,
    private readonly turnEvents: TurnEventsRepository,
    private readonly answers: AnswersService,
    private readonly usage: UsageService,
    private readonly changed: ConversationChangedChannel,
    private readonly queues: RowQueuesService,
    private readonly events: ProjectEventsService,
  ) {}

  /**
   * Ends a running turn and starts the next one when messages wait.
   *
   * @throws LeaseLost when the turn is not the holder's any more; then nothing has changed.
   */
  async end(leased: LeasedTurn, holder: Holder, ending: Ending): Promise<void> {
    const { project_id, conversation_id } = leased;
    const isFollowed = await this.database.transaction(async (tx) => {
      const turns = tx.withRepository(this.turns);
      // The project is the first to be locked.
      const [, turn, { waiting, new_turn_id }] = await pipelined(
        tx.withRepository(this.projects).lockKnown(project_id).catch(lostWhereGone),
        turns.lockWithConversation(leased, holder),
        turns.situation(project_id, conversation_id).catch(lostWhereGone),
      );
      if (turn === undefined) throw new LeaseLost();
      this.events.by(tx, { kind: 'agent', id: turn.id });
      const messages = tx.withRepository(this.messages);
      const left = ending.leavesOthers === true ? await messages.leaveOthers(turn.id, spenderOf(turn)) : 0;
      await this.finish(tx, turn, ending);
      if (waiting + left === 0) return false;
      await turns.start(new_turn_id, { id: conversation_id, project_id }, turn);
      this.events.note(tx, project_id, 'turn.dispatched', { conversation_id, turn_id: new_turn_id });
      return true;
    });
    this.changed.send(conversation_id);
    if (isFollowed) this.queues.wake(TURN_QUEUE);
  }

  /**
   * Ends the active turn of a conversation, or only a given one, whoever runs it: what was stored of it stays, and its
   * process can write no more. Messages that wait are left waiting. The project and the conversation are locked.
   *
   * @returns the turn's id; null when there was nothing to end.
   */
  async stop(tx: Tx, conversation_id: ConversationId, turn_id: string | null): Promise<string | null> {
    const turn = await tx.withRepository(this.turns).lockActive(conversation_id, turn_id);
    if (turn === undefined) return null;
    await this.finish(tx, turn, STOPPED);
    return turn.id;
  }

  /** Ends a locked turn. */
  private async finish(tx: Tx, turn: LockedTurn, ending: Ending): Promise<void> {
    const { id, project_id, conversation_id, company_id, model, notice_id } = turn;
    const { outcome, progress, notice } = ending;
    const { body, events } = await this.finalBody(tx, turn, ending);
    const isNew = turn.message_id === null && events.length > 0;
    const message_id = isNew ? turn.new_message_id : turn.message_id;
    if (isNew) events.unshift(STARTED);
    events.push(endedEvent(outcome));
    const credits = progress?.credits ?? turn.credits;
    const of = { company_id, project_id, ...spenderOf(turn), model };
    const charge = { ...of, source_type: 'turn', source_id: id, credits } as const;
    const conversations = tx.withRepository(this.conversations);
    const message = { conversation_id, turn_id: id } as const;
    await pipelined(
      isNew && conversations.append({ id: turn.new_message_id, role: 'assistant', ...message, ...body }),
      turn.message_id !== null && tx.withRepository(this.messages).finish(turn.message_id, body),
      notice !== undefined && conversations.append({ id: notice_id, role: 'system', content: notice, ...message }),
      tx.withRepository(this.turns).end(turn, { outcome, message_id, credits }, events),
      tx.withRepository(this.projects).endTurn(project_id, credits),
      credits > 0 && this.usage.record(tx, charge),
    );
    const note = (message_id: string, role: string): void =>
      this.events.note(tx, project_id, 'message.created', { conversation_id, message_id, role });
    if (isNew) note(turn.new_message_id, 'assistant');
    if (notice !== undefined) note(notice_id, 'system');
    this.events.note(tx, project_id, 'turn.ended', { conversation_id, turn_id: id, outcome, message_id });
  }

  /** Final content of the turn's message, and the events that lead to it from the stored content. */
  private async finalBody(
    tx: Tx,
    { id, conversation_id, message_id, next_seq, body_seq }: LockedTurn,
    ending: Ending,
  ): Promise<{ body: MessageBody; events: EventRow[] }> {
    // Of an effect whose outcome the process never learned, what is stored knows more.
    const progress =
      ending.progress !== undefined && ending.progress.next_seq >= next_seq ? ending.progress : undefined;
    let body = progress?.body ?? EMPTY_BODY;
    if (progress === undefined && message_id !== null) {
      const written = await tx.withRepository(this.messages).body(message_id);
      body =
        body_seq === null ? written : withEvents(written, await tx.withRepository(this.turnEvents).since(id, body_seq));
    }
    const closing = [
      ...closingEvents(
        body,
        new Date(),
        ending.running ?? { error: 'The turn ended before the call did', error_code: 'unfinished' },
      ),
      ...(await this.answers.pendingEvents(tx, conversation_id, body)),
    ];
    for (const event of closing) body = fold(body, event);
    // A write whose outcome the process never learned may have been stored.
    const unstored =
      progress === undefined ? [] : progress.unstored.slice(Math.max(0, next_seq - firstUnstored(progress)));
    return { body, events: [...unstored, ...closing].map(bodyEvent) };
  }
}
