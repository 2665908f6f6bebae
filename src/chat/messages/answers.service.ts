import { Injectable } from '@nestjs/common';
import type { ConversationId } from '../../database/checked-id.js';
import type { QuestionAnswer, ToolCall } from '../../../packages/conversation/index.js';
import type { Tx } from '../../database/database.service.js';
import { type AnswerPlace, placeAnswer } from './answers.js';
import { type BodyEvent, fold, type MessageBody } from './message-body.js';
import { type AskingMessage, MessagesRepository } from './messages.repository.js';

/**
 * Where an answer was stored. `pending` means that the message `message_id`, which asks the question, is still being written.
 */
export type StoredAnswer =
  Exclude<AnswerPlace, { kind: 'answers' }> | { kind: 'answers'; call: ToolCall; message_id: string; pending: boolean };

/** Stores users' answers to the agent's questions. Callers must hold the conversation lock. */
@Injectable()
export class AnswersService {
  constructor(private readonly messages: MessagesRepository) {}

  /**
   * Assigns an answer to the open question, if there is one.
   *
   * Only its own turn may change a message that is still being written. The answer is therefore stored with the user's message,
   * and {@link pendingEvents} applies it when the turn ends.
   *
   * @throws Invalid if the answer does not match the open question
   */
  async give(tx: Tx, conversation_id: ConversationId, answer: QuestionAnswer): Promise<StoredAnswer> {
    const messages = tx.withRepository(this.messages);
    const [newest, earlier] = await messages.asking(conversation_id);
    if (newest === undefined) return { kind: 'stands_alone' };
    const calls = await this.withPending(tx, conversation_id, newest);
    const place = placeAnswer({ newest: calls, earlier: earlier?.tool_calls ?? [] }, answer);
    if (place.kind !== 'answers') return place;
    if (!newest.is_partial) await messages.finish(newest.id, fold(newest, answered(place.call, answer)));
    return { ...place, message_id: newest.id, pending: newest.is_partial };
  }

  /** Returns the events that apply the pending answers to the questions in a message body. */
  async pendingEvents(tx: Tx, conversation_id: ConversationId, { tool_calls }: MessageBody): Promise<BodyEvent[]> {
    const open = tool_calls.filter(({ status, result }) => status === 'completed' && result === null);
    if (open.length === 0) return [];
    const answers = await tx.withRepository(this.messages).waitingAnswers(conversation_id);
    return open.flatMap((call) => {
      const answer = answers.get(call.id);
      return answer === undefined ? [] : [answered(call, answer)];
    });
  }

  /** Returns the tool calls in a message. If the message is not finished, adds the pending answers as results. */
  private async withPending(
    tx: Tx,
    conversation_id: ConversationId,
    { is_partial, tool_calls }: AskingMessage,
  ): Promise<ToolCall[]> {
    if (!is_partial) return tool_calls;
    const answers = await tx.withRepository(this.messages).waitingAnswers(conversation_id);
    return tool_calls.map((call) => ({ ...call, result: call.result ?? answers.get(call.id) ?? null }));
  }
}

const answered = (call: ToolCall, answer: QuestionAnswer): BodyEvent => ({
  type: 'tool.finished',
  call: { ...call, result: answer },
});
