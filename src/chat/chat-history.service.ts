import { Injectable } from '@nestjs/common';
import { NotFound, parseId } from '../common/errors/errors.js';
import type { ClientTags } from '../common/etag/entity-tag.js';
import { Tagged } from '../common/etag/tagged.js';
import { JsonBytes } from '../common/http/json-text.js';
import { FairShares } from '../common/throttling/fair-shares.js';
import { sharesOf } from '../common/throttling/limits.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import type { ChatHistoryQuery, ChatSyncQuery } from './chat.dto.js';
import { ConversationsRepository, type ConversationWindow } from './conversations/conversations.repository.js';
import { lastOf, type RecentMessages, RecentMessagesService } from './messages/recent-messages.service.js';
import type { ProjectReader } from '../projects/project-access.js';

/** Maximum number of large windows that a process builds concurrently. Each company can have at most one of them. */
const LARGE_AT_ONCE = 2;

/** Reads conversation windows. Each window is a consistent snapshot. */
@Injectable()
export class ChatHistoryService {
  private readonly large = new FairShares(LARGE_AT_ONCE);

  constructor(
    private readonly projects: ProjectsRepository,
    private readonly conversations: ConversationsRepository,
    private readonly recent: RecentMessagesService,
  ) {}

  /**
   * Returns a ChatMessageListResponse, or only its entity tag if the caller already has the response. Sequence numbers have no
   * gaps, so the newest one is the total.
   * @throws NotFound
   */
  async history(
    reader: ProjectReader,
    projectId: string,
    { conversation_id, limit, offset }: ChatHistoryQuery,
    clientTags: ClientTags,
  ): Promise<Tagged<JsonBytes>> {
    return await this.window(reader, projectId, conversation_id, { limit, offset }, clientTags, ({ last_sequence }) => [
      '{"messages":[',
      `],"limit":${limit},"offset":${offset},"total":${last_sequence}}`,
    ]);
  }

  /** Returns a ConversationSyncResponse, or only its entity tag if the caller already has the response. @throws NotFound */
  async sync(
    reader: ProjectReader,
    projectId: string,
    { conversation_id, limit }: ChatSyncQuery,
    clientTags: ClientTags,
  ): Promise<Tagged<JsonBytes>> {
    return await this.window(reader, projectId, conversation_id, { limit, offset: 0 }, clientTags, ({ id, turn }) => [
      `{"conversation_id":"${id}","messages":[`,
      `],"turn":${turn}}`,
    ]);
  }

  /** Returns a window of messages between the two JSON fragments from `around`. Omits the body if the caller already has it. */
  private async window(
    reader: ProjectReader,
    projectId: string,
    conversationId: string | undefined,
    page: { limit: number; offset: number },
    clientTags: ClientTags,
    around: (window: ConversationWindow) => [string, string],
  ): Promise<Tagged<JsonBytes>> {
    const project_id = parseId(projectId, 'Project');
    try {
      if (!clientTags.isEmpty) {
        const tag = await this.conversations.tag(reader, project_id, conversationId);
        if (clientTags.has(tag)) return Tagged.unchanged(tag);
      }
      const name = `${project_id} ${conversationId ?? ''}`;
      const inTurn = async <Value>(work: () => Promise<Value>): Promise<Value> =>
        await this.large.run(sharesOf(reader.caller, { caller: 1, company: 1 }), work);
      const read = async (recent: RecentMessages | undefined): Promise<Tagged<JsonBytes> | undefined> => {
        const spared = recent && { first: recent.first, last: lastOf(recent) };
        const window = await this.conversations.window(reader, project_id, conversationId, page, spared, inTurn);
        const texts = this.recent.complete(name, recent, window);
        if (texts === undefined) return undefined;
        const [before, behind] = around(window);
        return Tagged.of(window.tag, new JsonBytes(Buffer.concat([Buffer.from(before), texts, Buffer.from(behind)])));
      };
      const recent = this.recent.find(name, page);
      const answer = (recent && (await read(recent))) ?? (await read(undefined));
      if (answer === undefined) throw new Error('A window without cached messages is incomplete');
      return answer;
    } catch (error) {
      // If the project does not exist either, the error must name the project instead of the conversation.
      if (error instanceof NotFound) await this.projects.require(reader, projectId);
      throw error;
    }
  }
}
