import type { ProjectId } from '../database/checked-id.js';
import { Injectable } from '@nestjs/common';
import { ProjectEventsService } from '../events/project-events.service.js';
import { DatabaseService, type Tx } from '../database/database.service.js';
import { Conflict, NotFound, parseId } from '../common/errors/errors.js';
import { assertExpected } from '../common/etag/conditions.js';
import type { ExpectedTags } from '../common/etag/entity-tag.js';
import type { Page } from '../common/listing/page.js';
import type { WalkQuery } from '../common/listing/walk.query.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { ConversationRemovalService } from './conversation-removal.service.js';
import { ConversationChangedChannel } from './conversations/conversation-changed.channel.js';
import type { Conversation } from './conversations/conversation.entity.js';
import { ConversationsRepository, conversationTag } from './conversations/conversations.repository.js';
import { ConversationResponse, type ConversationWriteRequest } from './conversations.dto.js';
import { TurnEndingsService } from './turns/turn-endings.service.js';
import { TurnStoppedChannel } from './turns/turn-stopped.channel.js';
import type { ProjectEditor, ProjectReader } from '../projects/project-access.js';

/** What users do with the conversations of a project. */
@Injectable()
export class ConversationsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly projects: ProjectsRepository,
    private readonly conversations: ConversationsRepository,
    private readonly removal: ConversationRemovalService,
    private readonly endings: TurnEndingsService,
    private readonly stopped: TurnStoppedChannel,
    private readonly changed: ConversationChangedChannel,
    private readonly events: ProjectEventsService,
  ) {}

  /** A project's conversations as ConversationResponse, the last changed first. @throws NotFound */
  async list(reader: ProjectReader, projectId: string, page: WalkQuery): Promise<Page<Conversation>> {
    const listed = await this.conversations.page(reader, parseId(projectId, 'Project'), page);
    if (listed.total === 0) await this.projects.require(reader, projectId);
    return listed;
  }

  /** @throws NotFound */
  async get(reader: ProjectReader, projectId: string, conversationId: string): Promise<Conversation> {
    try {
      return await this.conversations.show(reader, parseId(projectId, 'Project'), conversationId);
    } catch (error) {
      // A missing project hides a missing conversation.
      if (error instanceof NotFound) await this.projects.require(reader, projectId);
      throw error;
    }
  }

  /** @param wantedId the id it gets; default a new one @throws NotFound */
  async create(
    editor: ProjectEditor,
    projectId: string,
    { title }: ConversationWriteRequest,
    wantedId?: string,
  ): Promise<ConversationResponse> {
    return await this.database.transaction(async (tx) => {
      const { id } = await tx.withRepository(this.projects).lock(editor, projectId);
      return await editor.once(tx, async () => {
        const conversation = await tx.withRepository(this.conversations).add(id, title ?? null, wantedId);
        this.note(tx, editor, id, conversation.id, false);
        return ConversationResponse.from(conversation);
      });
    });
  }

  /** @throws NotFound @throws PreconditionFailed */
  async update(
    editor: ProjectEditor,
    projectId: string,
    conversationId: string,
    { title }: ConversationWriteRequest,
    expected: ExpectedTags,
  ): Promise<Conversation> {
    return await this.database.transaction(async (tx) => {
      const conversations = tx.withRepository(this.conversations);
      const project = await tx.withRepository(this.projects).require(editor, projectId);
      const locked = await conversations.lock(editor, project.id, conversationId);
      await assertExpected(expected, () => conversationTag(locked));
      const { id } = locked;
      if (title !== undefined) {
        await conversations.rename(id, title);
        this.note(tx, editor, project.id, id, false);
      }
      return await conversations.findOneByOrFail({ id });
    });
  }

  /** Deletes a conversation with everything in it; what its turns have cost stays. @throws NotFound, Conflict, PreconditionFailed */
  async delete(
    editor: ProjectEditor,
    projectId: string,
    conversationId: string,
    expected: ExpectedTags,
  ): Promise<void> {
    const { id, turn_id } = await this.database.transaction(async (tx) => {
      const conversations = tx.withRepository(this.conversations);
      const project = await tx.withRepository(this.projects).lock(editor, projectId);
      const locked = await conversations.lock(editor, project.id, conversationId);
      await assertExpected(expected, () => conversationTag(locked));
      const { id } = locked;
      if (await conversations.existsBy({ id, is_default: true })) {
        throw new Conflict('default_conversation', 'The default conversation cannot be deleted');
      }
      this.note(tx, editor, project.id, id, true);
      const turn_id = await this.endings.stop(tx, id, null);
      // Changes of the workspace only refer to the conversation: those that are being noted come first.
      await conversations.lockForRemoval(id);
      while (await this.removal.removePage(tx, id));
      return { id, turn_id };
    });
    if (turn_id === null) this.changed.send(id);
    else this.stopped.send(id, turn_id);
  }

  private note(
    tx: Tx,
    { caller }: ProjectEditor,
    project_id: ProjectId,
    conversation_id: string,
    deleted: boolean,
  ): void {
    this.events.by(tx, caller);
    this.events.note(tx, project_id, 'conversation.changed', { conversation_id, deleted });
  }
}
