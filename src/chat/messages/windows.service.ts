import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { NotFound, parseId } from '../../platform/errors/errors.js';
import { projectOf } from '../../projects/projects.queries.js';
import { ProjectsService } from '../../projects/projects.service.js';
import type { ChatHistoryQuery, ChatSyncQuery } from '../chat.dto.js';
import { named } from '../conversations/conversations.service.js';
import { windowJson } from './message-json.js';

// SELECTs from conversations `c`, for `read` to say which one is meant. Each is made once: they are long.
const HISTORY = `
  SELECT concat('{"messages":', ${windowJson({
    first: 'c.last_sequence - $5::bigint - $4::bigint + 1',
    last: 'c.last_sequence - $5::bigint',
    limit: '$4::bigint',
  })},
                ',"limit":', $4::bigint, ',"offset":', $5::bigint, ',"total":', c.last_sequence, '}') AS json
    FROM conversations c`;

const SYNC = `
  SELECT concat('{"conversation_id":"', c.id, '","messages":', ${windowJson({
    first: 'c.last_sequence - $4::bigint + 1',
    last: 'c.last_sequence::bigint',
    limit: '$4::bigint',
  })},
                ',"turn":', (SELECT row_to_json(live) FROM
                  (SELECT coalesce(t.state, 'idle') AS state, t.message_id, t.id AS turn_id, coalesce(t.next_seq, 0) AS next_seq) live),
                '}') AS json
    FROM conversations c
    LEFT JOIN LATERAL (
      SELECT * FROM turns active WHERE active.conversation_id = c.id AND active.state <> 'ended' OFFSET 0) t ON true`;

/**
 * Reads of conversations, each one statement and so of one moment. Answers are JSON text that the database makes: to put
 * a long text together once more would cost as much as to send it. Where a window would be too long, it lacks its older
 * messages.
 */
@Injectable()
export class WindowsService {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsService,
  ) {}

  /** JSON text of a ChatMessageListResponse. Sequences have no gaps, so the newest one is the total. @throws NotFound */
  async history(
    company_id: string,
    projectId: string,
    { conversation_id, limit, offset }: ChatHistoryQuery,
  ): Promise<string> {
    return await this.read(HISTORY, company_id, projectId, conversation_id, [limit, offset]);
  }

  /** JSON text of a ConversationSyncResponse. @throws NotFound */
  async sync(company_id: string, projectId: string, { conversation_id, limit }: ChatSyncQuery): Promise<string> {
    return await this.read(SYNC, company_id, projectId, conversation_id, [limit]);
  }

  /**
   * The one column `json` of a SELECT from conversations `c` for the one that is meant; its own parameters begin with $4.
   *
   * @throws NotFound
   */
  private async read(
    select: string,
    company_id: string,
    projectId: string,
    conversationId: string | undefined,
    more: number[],
  ): Promise<string> {
    const project_id = parseId(projectId, 'Project');
    try {
      const { condition, parameters } = named(project_id, conversationId);
      const [row]: { json: string }[] = await this.database.manager.query(
        `${select} WHERE ${condition} AND c.project_id = ${projectOf('$3', '$1')}`,
        [...parameters, company_id, ...more],
      );
      if (row !== undefined) return row.json;
      throw new NotFound('Conversation');
    } catch (error) {
      // Of a project that is not there, nothing else is said.
      if (error instanceof NotFound) await this.projects.require(company_id, project_id);
      throw error;
    }
  }
}
