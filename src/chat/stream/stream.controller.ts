import type { ServerResponse } from 'node:http';
import { applyDecorators, Controller, Get, Headers, Param, Query, Res, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiHeader, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { ProjectReader, ReadingCaller } from '../../projects/project-access.js';
import { ResyncData } from '../../common/event-stream/resync.dto.js';
import { Operation } from '../../common/openapi/operation.js';
import { StaysOpen } from '../../common/throttling/fair-share.guard.js';
import {
  CardsChangedData,
  ChatStreamQuery,
  MessageCreatedData,
  MessageUpdatedData,
  TextDeltaData,
  ToolFinishedData,
  ToolStartedData,
  TurnDispatchedData,
  TurnEndedData,
  TurnStartedData,
} from './stream.dto.js';
import { StreamsService } from './streams.service.js';

/** Turn events, which have an id. */
const TURN_EVENTS: Record<string, Type> = {
  'turn.started': TurnStartedData,
  'text.delta': TextDeltaData,
  'tool.started': ToolStartedData,
  'tool.finished': ToolFinishedData,
  'cards.changed': CardsChangedData,
  'turn.ended': TurnEndedData,
};
const OTHER_EVENTS: Record<string, Type> = {
  'message.created': MessageCreatedData,
  'message.updated': MessageUpdatedData,
  'turn.dispatched': TurnDispatchedData,
  resync: ResyncData,
};

const ID = { type: 'string', description: '`<turn_id>:<seq>`; seq starts at 0 in each turn', example: '<turn_id>:7' };

const eventSchemas = (events: Record<string, Type>, hasId: boolean): object[] =>
  Object.entries(events).map(([event, data]) => ({
    type: 'object',
    title: event,
    properties: {
      ...(hasId && { id: ID }),
      event: { type: 'string', const: event },
      data: { $ref: getSchemaPath(data) },
    },
    required: [...(hasId ? ['id'] : []), 'event', 'data'],
  }));

/** Documents each event as an object with the fields of the event. `data` is JSON. */
const EventStreamResponse = (): MethodDecorator =>
  applyDecorators(
    ApiExtraModels(...Object.values(TURN_EVENTS), ...Object.values(OTHER_EVENTS)),
    ApiResponse({
      status: 200,
      description: 'Successful Response',
      content: {
        'text/event-stream': {
          schema: { oneOf: [...eventSchemas(TURN_EVENTS, true), ...eventSchemas(OTHER_EVENTS, false)] },
        },
      },
    }),
  );

@Controller('projects/:project_id/chat/stream')
export class StreamController {
  constructor(private readonly streams: StreamsService) {}

  @Get()
  @StaysOpen()
  @EventStreamResponse()
  @Operation({
    tag: 'Chat',
    summary: 'Stream chat',
    description:
      'Server-sent events for all turns in a conversation, until the client disconnects or its token expires. ' +
      'Apply a turn’s events in order to build its message. Without a position, the stream starts at the first ' +
      'event of the active turn. With a position from sync or `Last-Event-ID`, each later event is sent exactly ' +
      'once. Events are kept for 10 minutes after their turn has ended. Swagger UI cannot display a stream: run ' +
      'its curl command in a terminal with the option `-N`.',
    errors: ['conversation_not_found', 'too_many_streams'],
    extension: true,
  })
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description: 'Id of the last event received before a connection was lost',
    schema: { type: 'string' },
  })
  async streamChat(
    @ReadingCaller() reader: ProjectReader,
    @Param('project_id') projectId: string,
    @Query() query: ChatStreamQuery,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res() response: ServerResponse,
  ): Promise<void> {
    await this.streams.stream(reader, projectId, { ...query, lastEventId }, response);
  }
}
