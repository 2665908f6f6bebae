import { Injectable } from '@nestjs/common';
import { CALL_SENTENCES } from '../../agent/turn-sentences.js';
import { ProjectEventsService } from '../../events/project-events.service.js';
import { pipelined, type Tx } from '../../database/database.service.js';
import { ProjectsRepository } from '../../projects/projects.repository.js';
import { UsageService } from '../../usage/usage.service.js';
import { ConversationsRepository } from '../conversations/conversations.repository.js';
import { AnswersService } from '../messages/answers.service.js';
import { closingEvents, EMPTY_BODY, fold, type MessageBody } from '../messages/message-body.js';
import { MessagesRepository } from '../messages/messages.repository.js';
import { withEvents } from '../messages/unwritten-events.js';
import { firstUnstored, type Progress } from './progress.js';
import { bodyEvent, endedEvent, type EventRow, STARTED, TurnEventsRepository } from './turn-events.repository.js';
import { spenderOf, type TurnOutcome } from './turn.entity.js';
import { type LockedTurn, TurnsRepository } from './turns.repository.js';

export interface Ending {
  outcome: TurnOutcome;
  /** Final content of the agent's message. Defaults to the stored content. */
  progress?: Progress;
  /** Error to record for calls that are still running. */
  running?: { error: string; error_code: string };
  /** Text of a system message to add to the conversation. */
  notice?: string;
  /** Whether messages from other askers are left to the next turn. */
  leavesOthers?: boolean;
}

/** Stores the end of a turn: its finished message, its charge and its outcome. */
@Injectable()
export class TurnClosingService {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly conversations: ConversationsRepository,
    private readonly messages: MessagesRepository,
    private readonly turns: TurnsRepository,
    private readonly turnEvents: TurnEventsRepository,
    private readonly answers: AnswersService,
    private readonly usage: UsageService,
    private readonly events: ProjectEventsService,
  ) {}

  /** Closes a locked turn. */
  async close(tx: Tx, turn: LockedTurn, ending: Ending): Promise<void> {
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

  /** Returns the final content of the turn's message, and the events between the stored content and the final content. */
  private async finalBody(
    tx: Tx,
    { id, conversation_id, message_id, next_seq, body_seq }: LockedTurn,
    ending: Ending,
  ): Promise<{ body: MessageBody; events: EventRow[] }> {
    // If the process never learned the outcome of an effect, the stored content may be more recent than its progress.
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
        ending.running ?? { error: CALL_SENTENCES.unfinished, error_code: 'unfinished' },
      ),
      ...(await this.answers.pendingEvents(tx, conversation_id, body)),
    ];
    for (const event of closing) body = fold(body, event);
    // Skips events of a write that was committed although the process never learned its outcome.
    const unstored =
      progress === undefined ? [] : progress.unstored.slice(Math.max(0, next_seq - firstUnstored(progress)));
    return { body, events: [...unstored, ...closing].map(bodyEvent) };
  }
}
