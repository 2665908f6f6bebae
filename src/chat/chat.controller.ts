import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { Caller } from '../platform/auth/decorators.js';
import { Principal } from '../platform/auth/principal.js';
import { JsonText } from '../platform/http/json-text.js';
import { Operation } from '../platform/openapi/operation.js';
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
    private readonly posts: PostMessageService,
    private readonly chatHistory: ChatHistoryService,
    private readonly stops: StopTurnService,
  ) {}

  @Post()
  @Operation({
    tag: 'Chat',
    summary: 'Post chat message',
    example: { content: 'What do you need to know?', client_msg_id: 'hello-1' },
    description: 'Accepted at once; the agent answers in a turn of its own, which the sync operation shows.',
    status: 202,
    response: ChatResponse,
    errors: [404, 409, 429],
  })
  async postChatMessage(
    @Caller() caller: Principal,
    @Param('project_id') projectId: string,
    @Body() body: ChatMessageCreate,
  ): Promise<JsonText> {
    return new JsonText(await this.posts.post(caller, projectId, body));
  }

  @Get()
  @Operation({
    tag: 'Chat',
    summary: 'Get chat history',
    description:
      'A window of the conversation, oldest message first; `offset` pages back into history. The messages of a window have ' +
      'at most 16 MiB together: where they would have more, its older ones are left out, though never the newest. To page ' +
      'on, add the number of messages received to `offset`.',
    response: ChatMessageListResponse,
    errors: [404],
  })
  async getChatHistory(
    @Caller() caller: Principal,
    @Param('project_id') projectId: string,
    @Query() query: ChatHistoryQuery,
  ): Promise<JsonText> {
    return new JsonText(await this.chatHistory.history(caller.company_id, projectId, query));
  }

  @Get('sync')
  @Operation({
    tag: 'Chat',
    summary: 'Get chat sync',
    description:
      'One atomic read of the newest messages together with the live turn state. The messages have at most 16 MiB together: ' +
      'where they would have more, older ones are left out, though never the newest. The history operation reads on from ' +
      'there, with the number of messages received as its `offset`.',
    response: ConversationSyncResponse,
    errors: [404],
  })
  async getChatSync(
    @Caller() caller: Principal,
    @Param('project_id') projectId: string,
    @Query() query: ChatSyncQuery,
  ): Promise<JsonText> {
    return new JsonText(await this.chatHistory.sync(caller.company_id, projectId, query));
  }

  @Post('stop')
  @Operation({
    tag: 'Chat',
    summary: 'Stop turn',
    example: {},
    description:
      'Ends the active turn at once, wherever it runs. What the agent has said stays; messages that waited are answered ' +
      'with the next one that is posted.',
    response: ChatStopResponse,
    errors: [404],
    extension: true,
  })
  async stopTurn(
    @Caller() caller: Principal,
    @Param('project_id') projectId: string,
    @Body() body: ChatStopRequest,
  ): Promise<ChatStopResponse> {
    return await this.stops.stop(caller.company_id, projectId, body);
  }
}
