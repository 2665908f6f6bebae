import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { EditingCaller, ProjectEditor, ProjectReader, ReadingCaller } from '../projects/project-access.js';
import { IfMatch } from '../common/etag/conditions.js';
import { ExpectedTags } from '../common/etag/entity-tag.js';
import type { Tagged } from '../common/etag/tagged.js';
import { WalkQuery } from '../common/listing/walk.query.js';
import { Operation } from '../common/openapi/operation.js';
import { ConversationListResponse, ConversationResponse, ConversationWriteRequest } from './conversations.dto.js';
import { ConversationsService } from './conversations.service.js';

@Controller('projects/:project_id/conversations')
export class ConversationsController {
  constructor(private readonly conversations: ConversationsService) {}

  @Get()
  @Operation({
    tag: 'Chat',
    summary: 'List conversations',
    description: 'Returns the project’s conversations, most recently changed first.',
    response: ConversationListResponse,
    extension: true,
  })
  async listConversations(
    @ReadingCaller() reader: ProjectReader,
    @Param('project_id') projectId: string,
    @Query() query: WalkQuery,
  ): Promise<ConversationListResponse> {
    return ConversationListResponse.from(await this.conversations.list(reader, projectId, query), query);
  }

  @Post()
  @Operation({
    tag: 'Chat',
    summary: 'Create conversation',
    description: 'Adds a conversation with its own messages and turns to the project.',
    example: { title: 'What if a machine fails?' },
    status: 201,
    response: ConversationResponse,
    idempotent: true,
    extension: true,
  })
  async createConversation(
    @EditingCaller() editor: ProjectEditor,
    @Param('project_id') projectId: string,
    @Body() body: ConversationWriteRequest,
  ): Promise<ConversationResponse> {
    return await this.conversations.create(editor, projectId, body);
  }

  @Get(':conversation_id')
  @Operation({
    tag: 'Chat',
    summary: 'Get conversation',
    description:
      'Returns the title and times of the conversation. To read its messages, use the history or sync operation.',
    response: ConversationResponse,
    tagged: true,
    extension: true,
  })
  async getConversation(
    @ReadingCaller() reader: ProjectReader,
    @Param('project_id') projectId: string,
    @Param('conversation_id') conversationId: string,
  ): Promise<Tagged<ConversationResponse>> {
    return ConversationResponse.tagged(await this.conversations.get(reader, projectId, conversationId));
  }

  @Patch(':conversation_id')
  @Operation({
    tag: 'Chat',
    summary: 'Update conversation',
    description: 'Changes the title.',
    example: { title: 'A machine fails' },
    response: ConversationResponse,
    tagged: true,
    extension: true,
  })
  async updateConversation(
    @EditingCaller() editor: ProjectEditor,
    @Param('project_id') projectId: string,
    @Param('conversation_id') conversationId: string,
    @Body() body: ConversationWriteRequest,
    @IfMatch() expected: ExpectedTags,
  ): Promise<Tagged<ConversationResponse>> {
    return ConversationResponse.tagged(
      await this.conversations.update(editor, projectId, conversationId, body, expected),
    );
  }

  @Delete(':conversation_id')
  @Operation({
    tag: 'Chat',
    summary: 'Delete conversation',
    description: 'Also deletes its messages and stops its turn. The default conversation cannot be deleted.',
    status: 204,
    errors: ['default_conversation'],
    tagged: true,
    extension: true,
  })
  async deleteConversation(
    @EditingCaller() editor: ProjectEditor,
    @Param('project_id') projectId: string,
    @Param('conversation_id') conversationId: string,
    @IfMatch() expected: ExpectedTags,
  ): Promise<void> {
    await this.conversations.delete(editor, projectId, conversationId, expected);
  }
}
