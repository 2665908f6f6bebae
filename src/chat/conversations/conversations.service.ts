import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database, type Tx } from '../../platform/database/database.js';
import { NotFound, parseId } from '../../platform/errors/errors.js';
import { Notifications } from '../../platform/database/notifications.service.js';
import { projectOf } from '../../projects/projects.queries.js';
import { ProjectsService } from '../../projects/projects.service.js';
import { CONVERSATIONS } from '../notices.js';
import { Conversation } from './conversation.entity.js';

/** What other parts need of a conversation. */
export type ConversationHead = Pick<Conversation, 'id' | 'project_id' | 'last_sequence'>;

/** Conversations of projects. */
@Injectable()
export class ConversationsService implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsService,
    private readonly notifications: Notifications,
  ) {}

  /** Every project has a default conversation from its creation on. */
  onModuleInit(): void {
    this.projects.onCreate(async (tx, { id: project_id }) => {
      await tx.insert(Conversation, { project_id, is_default: true });
    });
  }

  /** The named conversation of a project, which is the caller's company's, or its default one. @throws NotFound also for an id that is none. */
  async require(
    project_id: string,
    conversationId?: string | null,
    tx: Tx = this.database.manager,
  ): Promise<ConversationHead> {
    const { condition, parameters } = named(project_id, conversationId);
    return await find(tx, condition, parameters);
  }

  /**
   * The conversation of one of the company's projects, locked until the transaction ends: whoever changes its messages or
   * turns has it.
   *
   * @throws NotFound
   */
  async lock(
    tx: Tx,
    company_id: string,
    project_id: string,
    conversationId?: string | null,
  ): Promise<ConversationHead> {
    const { condition, parameters } = named(project_id, conversationId);
    return await find(tx, `${condition} AND c.project_id = ${projectOf('$3', '$1')} FOR NO KEY UPDATE`, [
      ...parameters,
      company_id,
    ]);
  }

  /** Wakes whoever follows the conversation, once a change of it has committed. */
  announce(conversation_id: string): void {
    this.notifications.send(CONVERSATIONS, conversation_id);
  }
}

/**
 * Condition on conversations `c` for the one that is named, or the default one; its parameters are $1 and $2.
 *
 * @throws NotFound for an id that is none.
 */
export function named(
  project_id: string,
  conversationId?: string | null,
): { condition: string; parameters: [string, string | null] } {
  const id = conversationId == null ? null : parseId(conversationId, 'Conversation');
  return {
    condition: `c.project_id = $1 AND ${id === null ? 'c.is_default AND $2::uuid IS NULL' : 'c.id = $2'}`,
    parameters: [project_id, id],
  };
}

async function find(tx: Tx, condition: string, parameters: unknown[]): Promise<ConversationHead> {
  const [conversation]: ConversationHead[] = await tx.query(
    `SELECT c.id, c.project_id, c.last_sequence FROM conversations c WHERE ${condition}`,
    parameters,
  );
  if (conversation === undefined) throw new NotFound('Conversation');
  return conversation;
}
