import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ProjectEventsService } from '../events/project-events.service.js';
import type { Principal } from '../auth/principal.js';
import { DatabaseService, pipelined, type Tx } from '../database/database.service.js';
import { RowQueuesService } from '../database/queues/row-queues.service.js';
import { Conflict, parseId } from '../common/errors/errors.js';
import type { LogIds } from '../common/logging/request-log.js';
import { JsonText } from '../common/http/json-text.js';
import { CardResponse } from '../projects/canvas/canvas.dto.js';
import { CardsRepository } from '../projects/canvas/cards.repository.js';
import type { ProjectEditor } from '../projects/project-access.js';
import type { ProjectId } from '../projects/project.entity.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { assertBudgetLeft, type ExhaustedBudget } from '../usage/exhausted-budget.js';
import type { ChatMessageCreate } from './chat.dto.js';
import { ConversationChangedChannel } from './conversations/conversation-changed.channel.js';
import {
  type ConversationHead,
  ConversationsRepository,
  type NewMessage,
} from './conversations/conversations.repository.js';
import { AnswersService } from './messages/answers.service.js';
import type { ConversationId } from './messages/conversation-id.js';
import { answerCall } from './messages/answers.js';
import { type EarlierMessage, MessagesRepository } from './messages/messages.repository.js';
import { clientKey, identify, type PostIdentity, toQuestionAnswer } from './post-idempotency.js';
import { type Situation, TurnsRepository, TURN_QUEUE } from './turns/turns.repository.js';
import { startsTurn } from './waiting-messages.js';

/** Takes in messages of people and of programs that act with an API key. */
@Injectable()
export class PostMessageService {
  constructor(
    private readonly database: DatabaseService,
    private readonly projects: ProjectsRepository,
    private readonly cards: CardsRepository,
    private readonly conversations: ConversationsRepository,
    private readonly messages: MessagesRepository,
    private readonly turns: TurnsRepository,
    private readonly answers: AnswersService,
    private readonly changed: ConversationChangedChannel,
    private readonly queues: RowQueuesService,
    private readonly events: ProjectEventsService,
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
    ids: LogIds = {},
  ): Promise<JsonText> {
    const project_id = parseId(projectId, 'Project') as ProjectId;
    const { conversation_id: named } = request;
    let posted: { conversation_id: ConversationId; startsTurn: boolean } | undefined;
    const answer = await this.database.transaction(async (tx) => {
      const conversations = tx.withRepository(this.conversations);
      // All that is to be known is read behind the locks in one piece; who may not post has the first of them fail.
      const [, conversation, situation, earlier, cards] = await pipelined(
        tx.withRepository(this.projects).lock(editor, project_id),
        conversations.lock(editor, project_id, named),
        tx.withRepository(this.turns).situationFor(project_id, named, editor.caller),
        this.earlier(tx, editor.caller, project_id, request),
        tx.withRepository(this.cards).list(project_id),
      );
      const canvas = JSON.stringify(cards.map((card) => CardResponse.from(card)));
      const toAnswer = (message: string): JsonText =>
        new JsonText(`{"message":${message},"canvas_snapshot":${canvas}}`);
      return await editor.once(tx, async () => {
        const identity = identify(editor.caller, conversation.id, request);
        posted = { conversation_id: conversation.id, startsTurn: !situation.is_active };
        if (earlier !== undefined) return toAnswer(repeated(earlier, identity));
        if (!situation.is_active) ids.turn_id = situation.new_turn_id;
        return toAnswer(await this.store(tx, editor.caller, conversation, situation, identity, request));
      });
    });
    if (posted === undefined) throw new Error('A message was stored in no conversation');
    this.changed.send(posted.conversation_id);
    if (posted.startsTurn) this.queues.wake(TURN_QUEUE);
    return answer;
  }

  /** The message that was posted under the same client_msg_id, if one was. */
  private async earlier(
    tx: Tx,
    author: Principal,
    project_id: ProjectId,
    { client_msg_id }: ChatMessageCreate,
  ): Promise<EarlierMessage | undefined> {
    if (client_msg_id == null) return undefined;
    return await tx.withRepository(this.messages).findByClientKey(project_id, clientKey(author, client_msg_id));
  }

  /** Stores a message; JSON text of it. */
  private async store(
    tx: Tx,
    author: Principal,
    conversation: ConversationHead,
    situation: Situation & { exhausted: ExhaustedBudget | null },
    identity: PostIdentity | null,
    request: ChatMessageCreate,
  ): Promise<string> {
    assertBudgetLeft(situation.exhausted);
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
    const [, { json }] = await pipelined(
      isFirst && tx.withRepository(this.turns).start(turn_id, conversation, author),
      tx.withRepository(this.conversations).append(message),
    );
    const { id: conversation_id, project_id } = conversation;
    this.events.by(tx, author);
    this.events.note(tx, project_id, 'message.created', { conversation_id, message_id, role: message.role });
    if (isFirst) this.events.note(tx, project_id, 'turn.dispatched', { conversation_id, turn_id });
    return json;
  }
}

/** JSON text of a message that is posted again. @throws Conflict when it is another one */
function repeated(earlier: EarlierMessage, identity: PostIdentity | null): string {
  if (identity?.payload_hash.equals(earlier.payload_hash) !== true) {
    throw new Conflict('client_msg_id_reused', 'Another message was posted under this client_msg_id');
  }
  return earlier.json;
}
