import { Injectable } from '@nestjs/common';
import type { QuestionAnswer } from '../../agent/ask-user-question.js';
import type { ToolCall } from '../../agent/tool-call.js';
import type { Tx } from '../../platform/database/database.js';
import { type AnswerPlace, placeAnswer } from './answers.js';
import type { Message } from './message.entity.js';
import { type BodyEvent, fold, type MessageBody } from './message-body.js';
import { MessagesService } from './messages.service.js';

/** Where an answer went; `pending` while the message that asks, `message_id`, is still being written. */
export type GivenAnswer =
  Exclude<AnswerPlace, { kind: 'answers' }> | { kind: 'answers'; call: ToolCall; message_id: string; pending: boolean };

type AskingMessage = MessageBody & Pick<Message, 'id' | 'is_partial'>;

/** Answers of users to questions of the agent. Callers hold the conversation's lock. */
@Injectable()
export class AnswersService {
  constructor(private readonly messages: MessagesService) {}

  /**
   * Gives an answer to the question it answers, if there is one.
   *
   * A message that is still being written belongs to its turn: there the answer waits on the user's message, and
   * {@link pendingEvents} hands it over when the turn ends.
   *
   * @throws Invalid when it does not fit the open question.
   */
  async give(tx: Tx, conversation_id: string, answer: QuestionAnswer): Promise<GivenAnswer> {
    const [newest, earlier] = await this.asking(tx, conversation_id);
    if (newest === undefined) return { kind: 'stands_alone' };
    const calls = await this.withPending(tx, conversation_id, newest);
    const place = placeAnswer({ newest: calls, earlier: earlier?.tool_calls ?? [] }, answer);
    if (place.kind !== 'answers') return place;
    if (!newest.is_partial) {
      await this.messages.finish(tx, newest.id, fold(newest, answered(place.call, answer)));
    }
    return { ...place, message_id: newest.id, pending: newest.is_partial };
  }

  /** The events that hand waiting answers to the questions of a body. */
  async pendingEvents(tx: Tx, conversation_id: string, { tool_calls }: MessageBody): Promise<BodyEvent[]> {
    const open = tool_calls.filter(({ status, result }) => status === 'completed' && result === null);
    const answers = open.length === 0 ? new Map<string, QuestionAnswer>() : await this.pending(tx, conversation_id);
    return open.flatMap((call) => {
      const answer = answers.get(call.id);
      return answer === undefined ? [] : [answered(call, answer)];
    });
  }

  /** The two newest messages that ask something, the newest first. */
  private async asking(tx: Tx, conversation_id: string): Promise<AskingMessage[]> {
    return await tx.query(
      `SELECT id, is_partial, content, content_segments, tool_calls, affected_card_ids
         FROM messages
        WHERE conversation_id = $1 AND role = 'assistant' AND tool_calls::jsonb @> '[{"tool": "ask_user_question"}]'
        ORDER BY sequence DESC LIMIT 2`,
      [conversation_id],
    );
  }

  /** The calls of a message as they will be once it is finished. */
  private async withPending(
    tx: Tx,
    conversation_id: string,
    { is_partial, tool_calls }: AskingMessage,
  ): Promise<ToolCall[]> {
    if (!is_partial) return tool_calls;
    const answers = await this.pending(tx, conversation_id);
    return tool_calls.map((call) => ({ ...call, result: call.result ?? answers.get(call.id) ?? null }));
  }

  /** Waiting answers by the call they answer. A question is answered once. */
  private async pending(tx: Tx, conversation_id: string): Promise<Map<string, QuestionAnswer>> {
    const rows: { answered_call_id: string; answer: QuestionAnswer }[] = await tx.query(
      `SELECT answered_call_id, answer FROM messages
        WHERE conversation_id = $1 AND turn_id IS NULL AND answered_call_id IS NOT NULL`,
      [conversation_id],
    );
    return new Map(rows.map(({ answered_call_id, answer }) => [answered_call_id, answer]));
  }
}

const answered = (call: ToolCall, answer: QuestionAnswer): BodyEvent => ({
  type: 'tool.finished',
  call: { ...call, result: answer },
});
