import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { EditingCaller, ProjectEditor, ProjectReader, ReadingCaller } from '../projects/project-access.js';
import { IfNoneMatch } from '../common/etag/conditions.js';
import { ClientTags } from '../common/etag/entity-tag.js';
import type { Tagged } from '../common/etag/tagged.js';
import { JsonBytes, JsonText } from '../common/http/json-text.js';
import { type LogIds, RequestLogIds } from '../common/logging/request-log.js';
import { Operation } from '../common/openapi/operation.js';
import {
  ChatHistoryQuery,
  ChatMessageCreate,
  ChatMessageListResponse,
  ChatResponse,
  ChatStopRequest,
  ChatStopResponse,
  ChatSyncQuery,
  ConversationSyncResponse,
} from './chat.dto.js';
import { ChatHistoryService } from './chat-history.service.js';
import { PostMessageService } from './post-message.service.js';
import { StopTurnService } from './stop-turn.service.js';

@Controller('projects/:project_id/chat')
export class ChatController {
  constructor(
    private readonly postMessageService: PostMessageService,
    private readonly chatHistoryService: ChatHistoryService,
    private readonly stopTurnService: StopTurnService,
  ) {}

  @Post()
  @Operation({
    tag: 'Chat',
    summary: 'Post chat message',
    example: { content: 'How many chairs do we make?' },
    description:
      'Accepts the message immediately. The agent answers in a background turn, whose state the sync operation ' +
      'returns.',
    status: 202,
    response: ChatResponse,
    errors: ['budget_exhausted', 'client_msg_id_reused', 'conversation_not_found', 'too_many_waiting'],
    idempotent: true,
  })
  async postChatMessage(
    @EditingCaller() editor: ProjectEditor,
    @Param('project_id') projectId: string,
    @Body() body: ChatMessageCreate,
    @RequestLogIds() ids: LogIds,
  ): Promise<JsonText> {
    return await this.postMessageService.post(editor, projectId, body, ids);
  }

  @Get()
  @Operation({
    tag: 'Chat',
    summary: 'Get chat history',
    description:
      'A window of the conversation, oldest message first; `offset` pages back into history. A window ' +
      'contains at most 4 MiB of messages. Older messages that do not fit are left out, but the newest message is ' +
      'always returned. For the next window, add the number of messages received to `offset`.',
    response: ChatMessageListResponse,
    errors: ['conversation_not_found'],
    tagged: true,
  })
  async getChatHistory(
    @ReadingCaller() reader: ProjectReader,
    @Param('project_id') projectId: string,
    @Query() query: ChatHistoryQuery,
    @IfNoneMatch() clientTags: ClientTags,
  ): Promise<Tagged<JsonBytes>> {
    return await this.chatHistoryService.history(reader, projectId, query, clientTags);
  }

  @Get('sync')
  @Operation({
    tag: 'Chat',
    summary: 'Get chat sync',
    description:
      'Returns the newest messages and the live turn state from a single atomic read, with at most 4 MiB of ' +
      'messages. Older messages that do not fit are left out, but the newest message is always returned. To read ' +
      'older messages, use the history operation with the number of messages received as its `offset`.',
    response: ConversationSyncResponse,
    errors: ['conversation_not_found'],
    tagged: true,
  })
  async getChatSync(
    @ReadingCaller() reader: ProjectReader,
    @Param('project_id') projectId: string,
    @Query() query: ChatSyncQuery,
    @IfNoneMatch() clientTags: ClientTags,
  ): Promise<Tagged<JsonBytes>> {
    return await this.chatHistoryService.sync(reader, projectId, query, clientTags);
  }

  @Post('stop')
  @Operation({
    tag: 'Chat',
    summary: 'Stop turn',
    example: {},
    description:
      'Stops the active turn immediately and keeps the text that the agent has written. Messages that are already ' +
      'waiting are answered together with the next message that is posted.',
    response: ChatStopResponse,
    errors: ['conversation_not_found', 'turn_not_found'],
    idempotent: true,
    extension: true,
  })
  async stopTurn(
    @EditingCaller() editor: ProjectEditor,
    @Param('project_id') projectId: string,
    @Body() body: ChatStopRequest,
  ): Promise<ChatStopResponse> {
    return await this.stopTurnService.stop(editor, projectId, body);
  }
}
