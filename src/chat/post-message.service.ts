import { Injectable } from '@nestjs/common';
import { DatabaseService, pipelined } from '../database/database.service.js';
import { Conflict, parseId } from '../common/errors/errors.js';
import type { LogIds } from '../common/logging/request-log.js';
import { JsonText } from '../common/http/json-text.js';
import { CardResponse } from '../projects/canvas/canvas.dto.js';
import { CardsRepository } from '../projects/canvas/cards.repository.js';
import type { ProjectEditor } from '../projects/project-access.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import type { ChatMessageCreate } from './chat.dto.js';
import { ConversationChangedChannel } from './conversations/conversation-changed.channel.js';
import { ConversationsRepository } from './conversations/conversations.repository.js';
import type { EarlierMessage } from './messages/messages.repository.js';
import { NewMessagesService } from './new-messages.service.js';
import { identify, type PostIdentity } from './post-idempotency.js';
import { TurnsRepository } from './turns/turns.repository.js';

/** Accepts messages from users and API keys. */
@Injectable()
export class PostMessageService {
  constructor(
    private readonly database: DatabaseService,
    private readonly projects: ProjectsRepository,
    private readonly cards: CardsRepository,
    private readonly conversations: ConversationsRepository,
    private readonly turns: TurnsRepository,
    private readonly newMessages: NewMessagesService,
    private readonly changed: ConversationChangedChannel,
  ) {}

  /**
   * Stores a message and ensures that a turn will answer it, both in a single transaction. Returns a ChatResponse as JSON text.
   *
   * A repeated post with the same client_msg_id returns the first message and changes nothing.
   *
   * @throws NotFound
   * @throws Conflict if the client_msg_id was used for another payload
   * @throws PaymentRequired if a budget is used up
   * @throws TooManyRequests if too many messages are waiting
   * @throws Invalid if the answer does not match the open question
   */
  async post(
    editor: ProjectEditor,
    projectId: string,
    request: ChatMessageCreate,
    ids: LogIds = {},
  ): Promise<JsonText> {
    const project_id = parseId(projectId, 'Project');
    const { conversation_id: conversationId } = request;
    return await this.database.transaction(async (tx) => {
      const conversations = tx.withRepository(this.conversations);
      // Acquires the locks and then reads all data in a single round trip. The first lock fails if the caller may not post.
      const [, conversation, situation, earlier, cards] = await pipelined(
        tx.withRepository(this.projects).lock(editor, project_id),
        conversations.lock(editor, project_id, conversationId),
        tx.withRepository(this.turns).situationFor(project_id, conversationId, editor.caller),
        this.newMessages.earlier(tx, editor.caller, project_id, request),
        tx.withRepository(this.cards).listVisible(editor, project_id),
      );
      const canvas = JSON.stringify(cards.map((card) => CardResponse.from(card)));
      const toAnswer = (message: string): JsonText =>
        new JsonText(`{"message":${message},"canvas_snapshot":${canvas}}`);
      return await editor.once(tx, async () => {
        const identity = identify(editor.caller, conversation.id, request);
        this.database.afterCommit(tx, () => this.changed.send(conversation.id));
        if (earlier !== undefined) return toAnswer(repeated(earlier, identity));
        if (!situation.is_active) ids.turn_id = situation.new_turn_id;
        return toAnswer(await this.newMessages.store(tx, editor.caller, conversation, situation, identity, request));
      });
    });
  }
}

/** Returns the JSON text of the message that a post repeats. @throws Conflict if the content of the post differs */
function repeated(earlier: EarlierMessage, identity: PostIdentity | null): string {
  if (identity?.payload_hash.equals(earlier.payload_hash) !== true) {
    throw new Conflict('client_msg_id_reused', 'A different message was already posted with this client_msg_id');
  }
  return earlier.json;
}
