import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Principal } from '../../platform/auth/principal.js';
import { Database, pipelined, type Tx } from '../../platform/database/database.js';
import { Conflict, parseId, TooManyRequests } from '../../platform/errors/errors.js';
import { CardResponse } from '../../projects/canvas/canvas.dto.js';
import { CanvasService } from '../../projects/canvas/canvas.service.js';
import { ProjectsService } from '../../projects/projects.service.js';
import type { ChatMessageCreate } from '../chat.dto.js';
import { type ConversationHead, ConversationsService } from '../conversations/conversations.service.js';
import { TurnsService } from '../turns/turns.service.js';
import { AnswersService } from './answers.service.js';
import { answerCall } from './answers.js';
import { MessagesService, type NewMessage } from './messages.service.js';
import { identify, toQuestionAnswer } from './posted.js';

/** Messages that may wait behind the turn that is being answered. */
const MOST_WAITING = 20;
/** Messages that one turn answers at most: the agent is shown all of them. */
const MOST_JOINED = 100;
/** Most bytes of all messages together that the agent has not begun to answer; a single message has less. */
const MOST_BYTES = 8 * 1024 ** 2;
const RETRY_SECONDS = 5;

/** Takes in messages of people and of programs that act with an API key. */
@Injectable()
export class PostsService {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsService,
    private readonly canvas: CanvasService,
    private readonly conversations: ConversationsService,
    private readonly messages: MessagesService,
    private readonly answers: AnswersService,
    private readonly turns: TurnsService,
  ) {}

  /**
   * Stores a message and makes sure that a turn will answer it, in one transaction; JSON text of a ChatResponse.
   *
   * The same post under the same client_msg_id answers with the first message and changes nothing.
   *
   * @throws NotFound, Conflict on another payload under a client_msg_id, TooManyRequests when too many messages wait,
   *   Invalid when the answer does not fit the open question.
   */
  async post(author: Principal, projectId: string, request: ChatMessageCreate): Promise<string> {
    const project_id = parseId(projectId, 'Project');
    const { conversation_id, message } = await this.database.transaction(async (tx) => {
      const [, conversation] = await pipelined(
        this.projects.lock(tx, author.company_id, project_id),
        this.conversations.lock(tx, author.company_id, project_id, request.conversation_id),
      );
      return { conversation_id: conversation.id, message: await this.store(tx, author, conversation, request) };
    });
    this.conversations.announce(conversation_id);
    const cards = await this.canvas.list(project_id);
    return `{"message":${message},"canvas_snapshot":${JSON.stringify(cards.map((card) => CardResponse.from(card)))}}`;
  }

  private async store(
    tx: Tx,
    author: Principal,
    conversation: ConversationHead,
    request: ChatMessageCreate,
  ): Promise<string> {
    const identity = identify(author, conversation.id, request);
    const [earlier, { is_active, joined, waiting, bytes }] = await pipelined(
      identity === null ? undefined : this.messages.posted(tx, conversation.project_id, identity.client_msg_key),
      this.turns.situation(tx, conversation.id),
    );
    if (earlier !== undefined && identity?.payload_hash.equals(earlier.payload_hash) !== true) {
      throw new Conflict('Another message was posted under this client_msg_id');
    }
    if (earlier !== undefined) return earlier.json;
    if (is_active && waiting >= MOST_WAITING) {
      throw new TooManyRequests(`${MOST_WAITING} messages wait for the agent already`, RETRY_SECONDS);
    }
    if (joined >= MOST_JOINED) {
      throw new TooManyRequests(`${MOST_JOINED} messages wait for the agent to start already`, RETRY_SECONDS);
    }
    if (is_active && bytes + Buffer.byteLength(request.content) > MOST_BYTES) {
      throw new TooManyRequests('The messages that wait for the agent are too long together already', RETRY_SECONDS);
    }
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
    const [, { json }] = await pipelined(
      !is_active && this.turns.start(tx, conversation, author),
      this.messages.append(tx, message),
    );
    return json;
  }
}
