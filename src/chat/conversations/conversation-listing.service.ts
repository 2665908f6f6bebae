import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '../../platform/database/database.js';
import { Conflict, NotFound } from '../../platform/errors/errors.js';
import type { JsonPage } from '../../platform/database/json-page.js';
import type { PageQuery } from '../../platform/listing/page.query.js';
import { type ProjectRows, ProjectsService } from '../../projects/projects.service.js';
import { StopsService } from '../turns/stops.service.js';
import { TurnEndings } from '../turns/turn-endings.service.js';
import { removePage } from './conversation-rows.js';
import { Conversation } from './conversation.entity.js';
import type { ConversationWriteRequest } from './conversations.dto.js';
import { ConversationsService } from './conversations.service.js';

/** As ConversationResponse, the last changed first. */
const LISTED: ProjectRows = {
  table: 'conversations',
  columns: 'id, title, is_default, iso_timestamp(created_at) AS created_at, iso_timestamp(updated_at) AS updated_at',
  order: 'conversations.updated_at DESC, conversations.id DESC',
};

/** What users do with the conversations of a project. */
@Injectable()
export class ConversationListingService {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsService,
    private readonly conversations: ConversationsService,
    private readonly endings: TurnEndings,
    private readonly stops: StopsService,
  ) {}

  /** A project's conversations as ConversationResponse, the last changed first. @throws NotFound */
  async list(company_id: string, projectId: string, page: PageQuery): Promise<JsonPage> {
    return await this.projects.page(company_id, projectId, LISTED, page);
  }

  /** @throws NotFound */
  async create(company_id: string, projectId: string, { title }: ConversationWriteRequest): Promise<Conversation> {
    return await this.database.transaction(async (tx) => {
      const { id: project_id } = await this.projects.lock(tx, company_id, projectId);
      const { identifiers } = await tx.insert(Conversation, { project_id, title: title ?? null });
      return await this.find(tx, identifiers[0]?.['id'] as string);
    });
  }

  /** @throws NotFound */
  async update(
    company_id: string,
    projectId: string,
    conversationId: string,
    { title }: ConversationWriteRequest,
  ): Promise<Conversation> {
    return await this.database.transaction(async (tx) => {
      const project = await this.projects.require(company_id, projectId, tx);
      const { id } = await this.conversations.lock(tx, company_id, project.id, conversationId);
      if (title !== undefined) await tx.update(Conversation, { id }, { title, updated_at: () => 'clock_timestamp()' });
      return await this.find(tx, id);
    });
  }

  /** Deletes a conversation with everything in it; what its turns have cost stays. @throws NotFound, Conflict */
  async delete(company_id: string, projectId: string, conversationId: string): Promise<void> {
    const { id, turn_id } = await this.database.transaction(async (tx) => {
      const project = await this.projects.lock(tx, company_id, projectId);
      const { id } = await this.conversations.lock(tx, company_id, project.id, conversationId);
      if ((await this.find(tx, id)).is_default) throw new Conflict('The default conversation cannot be deleted');
      const turn_id = await this.endings.stop(tx, id, null);
      // Changes of the workspace only refer to the conversation: those that are being noted come first.
      await tx.query('SELECT id FROM conversations WHERE id = $1 FOR UPDATE', [id]);
      while (await removePage(tx, id));
      return { id, turn_id };
    });
    if (turn_id === null) this.conversations.announce(id);
    else this.stops.announce(id, turn_id);
  }

  private async find(tx: Tx, id: string): Promise<Conversation> {
    const conversation = await tx.findOneBy(Conversation, { id });
    if (conversation === null) throw new NotFound('Conversation');
    return conversation;
  }
}
