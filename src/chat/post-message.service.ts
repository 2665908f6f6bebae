import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ProjectEvents } from '../events/project-events.service.js';
import type { Principal } from '../platform/auth/principal.js';
import { Database, pipelined, type Tx } from '../platform/database/database.service.js';
import { Conflict, parseId } from '../platform/errors/errors.js';
import { Once } from '../platform/idempotency/once.js';
import { JsonText } from '../platform/http/json-text.js';
import { CardResponse } from '../projects/canvas/canvas.dto.js';
import { CardsRepository } from '../projects/canvas/cards.repository.js';
import type { ProjectEditor } from '../projects/project-access.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { assertBudgetLeft } from '../usage/exhausted-budget.js';
import type { ChatMessageCreate } from './chat.dto.js';
import { ConversationChangedChannel } from './conversations/conversation-changed.channel.js';
import {
  type ConversationHead,
  ConversationsRepository,
  type NewMessage,
} from './conversations/conversations.repository.js';
import { AnswersService } from './messages/answers.service.js';
import { answerCall } from './messages/answers.js';
import { MessagesRepository } from './messages/messages.repository.js';
import { identify, toQuestionAnswer } from './post-idempotency.js';
import { TurnDispatchedChannel } from './turns/turn-dispatched.channel.js';
import { TurnsRepository } from './turns/turns.repository.js';
import { startsTurn } from './waiting-messages.js';

/** Takes in messages of people and of programs that act with an API key. */
@Injectable()
export class PostMessageService {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsRepository,
    private readonly cards: CardsRepository,
    private readonly conversations: ConversationsRepository,
    private readonly messages: MessagesRepository,
    private readonly turns: TurnsRepository,
    private readonly answers: AnswersService,
    private readonly changed: ConversationChangedChannel,
    private readonly dispatched: TurnDispatchedChannel,
    private readonly events: ProjectEvents,
  ) {}

  /**
   * Stores a message and makes sure that a turn will answer it, in one transaction; JSON text of a ChatResponse.
   *
   * The same post under the same client_msg_id answers with the first message and changes nothing.
   *
   * @throws NotFound, Conflict on another payload under a client_msg_id, PaymentRequired when a budget is used up,
   *   TooManyRequests when too many messages wait, Invalid when the answer does not fit the open question.
   */
  async post(
    editor: ProjectEditor,
    projectId: string,
    request: ChatMessageCreate,
    once = Once.unkept<JsonText>(),
  ): Promise<JsonText> {
    const id = parseId(projectId, 'Project');
    const { conversation_id, answer } = await this.database.transaction(async (tx) => {
      const [, conversation] = await pipelined(
        tx.withRepository(this.projects).lock(editor, id),
        tx.withRepository(this.conversations).lock(editor, id, request.conversation_id),
      );
      const answer = await once.do(tx, async () => {
        const [message, cards] = await pipelined(
          this.store(tx, editor.caller, conversation, request),
          tx.withRepository(this.cards).list(conversation.project_id),
        );
        const canvas = JSON.stringify(cards.map((card) => CardResponse.from(card)));
        return new JsonText(`{"message":${message},"canvas_snapshot":${canvas}}`);
      });
      return { conversation_id: conversation.id, answer };
    });
    this.changed.send(conversation_id);
    this.dispatched.send();
    return answer;
  }

  private async store(
    tx: Tx,
    author: Principal,
    conversation: ConversationHead,
    request: ChatMessageCreate,
  ): Promise<string> {
    const identity = identify(author, conversation.id, request);
    const turns = tx.withRepository(this.turns);
    const [earlier, situation] = await pipelined(
      identity === null
        ? undefined
        : tx.withRepository(this.messages).findByClientKey(conversation.project_id, identity.client_msg_key),
      turns.situationFor(conversation, author),
    );
    if (earlier !== undefined && identity?.payload_hash.equals(earlier.payload_hash) !== true) {
      throw new Conflict('client_msg_id_reused', 'Another message was posted under this client_msg_id');
    }
    if (earlier !== undefined) return earlier.json;
    assertBudgetLeft(situation.exhausted);
    const isFirst = startsTurn(situation, request.content);
    const answer = request.answer == null ? null : toQuestionAnswer(request.answer);
    const place = answer === null ? null : await this.answers.give(tx, conversation.id, answer);
    const { user_id, user_name, user_avatar_url, api_key_id, api_key_name, api_key_prefix } = author;
    const message: NewMessage = {
      ...identity,
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
    const [turn_id, { id: message_id, json }] = await pipelined(
      isFirst && turns.start(conversation, author),
      tx.withRepository(this.conversations).append(message),
    );
    const { id: conversation_id, project_id } = conversation;
    this.events.by(tx, author);
    this.events.note(tx, project_id, 'message.created', { conversation_id, message_id, role: message.role });
    if (turn_id !== false) this.events.note(tx, project_id, 'turn.dispatched', { conversation_id, turn_id });
    return json;
  }
}
