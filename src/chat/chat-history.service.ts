import { Injectable } from '@nestjs/common';
import { NotFound, parseId } from '../platform/errors/errors.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import type { ChatHistoryQuery, ChatSyncQuery } from './chat.dto.js';
import { ConversationsRepository } from './conversations/conversations.repository.js';

/** Windows of conversations, each read at one moment. */
@Injectable()
export class ChatHistoryService {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly conversations: ConversationsRepository,
  ) {}

  /** JSON text of a ChatMessageListResponse. @throws NotFound */
  async history(
    company_id: string,
    projectId: string,
    { conversation_id, ...window }: ChatHistoryQuery,
  ): Promise<string> {
    const id = parseId(projectId, 'Project');
    return await this.conversations
      .history(company_id, id, conversation_id, window)
      .catch((error: unknown) => this.missing(company_id, projectId, error));
  }

  /** JSON text of a ConversationSyncResponse. @throws NotFound */
  async sync(company_id: string, projectId: string, { conversation_id, limit }: ChatSyncQuery): Promise<string> {
    const id = parseId(projectId, 'Project');
    return await this.conversations
      .sync(company_id, id, conversation_id, limit)
      .catch((error: unknown) => this.missing(company_id, projectId, error));
  }

  /** A missing project hides a missing conversation. */
  private async missing(company_id: string, projectId: string, error: unknown): Promise<never> {
    if (error instanceof NotFound) await this.projects.require(company_id, projectId);
    throw error;
  }
}
