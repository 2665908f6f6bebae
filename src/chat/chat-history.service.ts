import { Injectable } from '@nestjs/common';
import { NotFound, parseId } from '../platform/errors/errors.js';
import type { KnownTags } from '../platform/http/entity-tags/entity-tag.js';
import type { Tagged } from '../platform/http/entity-tags/tagged.js';
import type { JsonText } from '../platform/http/json-text.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import type { ChatHistoryQuery, ChatSyncQuery } from './chat.dto.js';
import { ConversationsRepository } from './conversations/conversations.repository.js';
import type { ProjectReader } from '../projects/project-access.js';

/** Windows of conversations, each read at one moment. */
@Injectable()
export class ChatHistoryService {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly conversations: ConversationsRepository,
  ) {}

  /** A ChatMessageListResponse, unless the caller has it already. @throws NotFound */
  async history(
    reader: ProjectReader,
    projectId: string,
    { conversation_id, ...window }: ChatHistoryQuery,
    known: KnownTags,
  ): Promise<Tagged<JsonText>> {
    const id = parseId(projectId, 'Project');
    return await this.conversations
      .history(reader, id, conversation_id, window, known)
      .catch((error: unknown) => this.missing(reader, projectId, error));
  }

  /** A ConversationSyncResponse, unless the caller has it already. @throws NotFound */
  async sync(
    reader: ProjectReader,
    projectId: string,
    { conversation_id, limit }: ChatSyncQuery,
    known: KnownTags,
  ): Promise<Tagged<JsonText>> {
    const id = parseId(projectId, 'Project');
    return await this.conversations
      .sync(reader, id, conversation_id, limit, known)
      .catch((error: unknown) => this.missing(reader, projectId, error));
  }

  /** A missing project hides a missing conversation. */
  private async missing(reader: ProjectReader, projectId: string, error: unknown): Promise<never> {
    if (error instanceof NotFound) await this.projects.require(reader, projectId);
    throw error;
  }
}
