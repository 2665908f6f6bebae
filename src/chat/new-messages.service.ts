import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ProjectEventsService } from '../events/project-events.service.js';
import type { Principal } from '../auth/principal.js';
import { pipelined, type Tx } from '../database/database.service.js';
import { assertBudget, type ExhaustedBudget } from '../usage/exhausted-budget.js';
import type { ChatMessageCreate } from './chat.dto.js';
import {
  type ConversationHead,
  ConversationsRepository,
  type NewMessage,
} from './conversations/conversations.repository.js';
import { AnswersService } from './messages/answers.service.js';
import { answerCall } from './messages/answers.js';
import { type EarlierMessage, MessagesRepository } from './messages/messages.repository.js';
import { clientKey, type PostIdentity, toQuestionAnswer } from './post-idempotency.js';
import { TurnStartsService } from './turns/turn-starts.service.js';
import type { Situation } from './turns/turns.repository.js';
import { startsTurn } from './waiting-messages.js';

/** Stores new messages from users and API keys. */
@Injectable()
export class NewMessagesService {
  constructor(
    private readonly conversations: ConversationsRepository,
    private readonly messages: MessagesRepository,
    private readonly answers: AnswersService,
    private readonly starts: TurnStartsService,
    private readonly events: ProjectEventsService,
  ) {}

  /** Returns the author's earlier message with the same client_msg_id, if there is one. */
  async earlier(
    tx: Tx,
    author: Principal,
    project_id: string,
    { client_msg_id }: ChatMessageCreate,
  ): Promise<EarlierMessage | undefined> {
    if (client_msg_id == null) return undefined;
    return await tx.withRepository(this.messages).findByClientKey(project_id, clientKey(author, client_msg_id));
  }

  /** Stores a message and returns it as JSON text. */
  async store(
    tx: Tx,
    author: Principal,
    conversation: ConversationHead,
    situation: Situation & { exhausted: ExhaustedBudget | null },
    identity: PostIdentity | null,
    request: ChatMessageCreate,
  ): Promise<string> {
    assertBudget(situation.exhausted);
    const isFirst = startsTurn(situation, request.content);
    const answer = request.answer == null ? null : toQuestionAnswer(request.answer);
    const place = answer === null ? null : await this.answers.give(tx, conversation.id, answer);
    const { user_id, user_name, user_avatar_url, api_key_id, api_key_name, api_key_prefix } = author;
    const { new_message_id: message_id, new_turn_id: turn_id } = situation;
    const message: NewMessage = {
      ...identity,
      id: message_id,
      conversation_id: conversation.id,
      role: 'user',
      content: request.content,
      file_ids: request.file_ids ?? null,
      context: request.context ?? null,
      answer,
      answered_call_id: place?.kind === 'answers' && place.pending ? place.call.id : null,
      answered_message_id: place?.kind === 'answers' && !place.pending ? place.message_id : null,
      tool_calls:
        answer !== null && place?.kind === 'stands_alone'
          ? [answerCall(`answer-${randomUUID()}`, answer, new Date())]
          : null,
      user_id,
      user_name,
      user_avatar_url,
      api_key_id,
      api_key_name,
      api_key_prefix,
    };
    const { id: conversation_id, project_id } = conversation;
    this.events.by(tx, author);
    this.events.note(tx, project_id, 'message.created', { conversation_id, message_id, role: message.role });
    const [, { json }] = await pipelined(
      isFirst && this.starts.start(tx, turn_id, conversation, author),
      tx.withRepository(this.conversations).append(message),
    );
    return json;
  }
}
