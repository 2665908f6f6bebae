import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { NotFound } from '../../platform/errors/errors.js';
import { ProjectsService } from '../../projects/projects.service.js';
import type { ChatHistoryQuery, ChatSyncQuery } from '../chat.dto.js';
import { ConversationsService, named } from '../conversations/conversations.service.js';
import { messagesJson } from './message-json.js';
import { windowOf } from './window.js';

/** Reads of conversations. Answers are JSON text, most of it made by the database: nothing is hydrated on the way. */
@Injectable()
export class WindowsService {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsService,
    private readonly conversations: ConversationsService,
  ) {}

  /** JSON text of a ChatMessageListResponse. @throws NotFound */
  async history(
    company_id: string,
    projectId: string,
    { conversation_id, limit, offset }: ChatHistoryQuery,
  ): Promise<string> {
    const project = await this.projects.require(company_id, projectId);
    const { id, last_sequence: total } = await this.conversations.require(project.id, conversation_id);
    const { first, last } = windowOf(total, { limit, offset });
    const messages = first > last ? '[]' : await this.read(id, first, last);
    return `{"messages":${messages},"limit":${limit},"offset":${offset},"total":${total}}`;
  }

  /**
   * JSON text of a ConversationSyncResponse. Messages and turn come from one statement, so from one snapshot.
   *
   * @throws NotFound
   */
  async sync(company_id: string, projectId: string, { conversation_id, limit }: ChatSyncQuery): Promise<string> {
    const project = await this.projects.require(company_id, projectId);
    const { condition, parameters } = named(project.id, conversation_id);
    const [read]: { conversation_id: string; messages: string; turn: string }[] = await this.database.manager.query(
      `SELECT c.id AS conversation_id,
              ${messagesJson(`FROM messages m WHERE m.conversation_id = c.id AND m.sequence > c.last_sequence - $3`)} AS messages,
              (SELECT row_to_json(live)::text FROM
                (SELECT coalesce(t.state, 'idle') AS state, t.message_id, t.id AS turn_id, coalesce(t.next_seq, 0) AS next_seq) live) AS turn
         FROM conversations c
         LEFT JOIN turns t ON t.conversation_id = c.id AND t.state <> 'ended'
        WHERE ${condition}`,
      [...parameters, limit],
    );
    if (read === undefined) throw new NotFound('Conversation');
    return `{"conversation_id":"${read.conversation_id}","messages":${read.messages},"turn":${read.turn}}`;
  }

  private async read(conversation_id: string, first: number, last: number): Promise<string> {
    const [read]: { messages: string }[] = await this.database.manager.query(
      `SELECT ${messagesJson('FROM messages m WHERE m.conversation_id = $1 AND m.sequence BETWEEN $2 AND $3')} AS messages`,
      [conversation_id, first, last],
    );
    return read?.messages ?? '[]';
  }
}
