import type { ServerResponse } from 'node:http';
import { applyDecorators, Controller, Get, Headers, Param, Res } from '@nestjs/common';
import { ApiExtraModels, ApiHeader, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { ResyncData } from '../../common/event-stream/resync.dto.js';
import { Operation } from '../../common/openapi/operation.js';
import { PROJECT_EVENTS } from '../../events/event-types.js';
import { StaysOpen } from '../../common/throttling/fair-share.guard.js';
import { ProjectReader, ReadingCaller } from '../project-access.js';
import { EventEnvelope } from './project-events.dto.js';
import { ProjectEventStreamsService } from './project-event-streams.service.js';

const eventSchema = ([type, { data }]: [string, { data: new () => object }]): object => ({
  type: 'object',
  title: type,
  properties: {
    id: { type: 'string', description: '`id` of the event', example: '17' },
    event: { type: 'string', const: type },
    data: {
      allOf: [
        { $ref: getSchemaPath(EventEnvelope) },
        {
          type: 'object',
          properties: { type: { type: 'string', const: type }, data: { $ref: getSchemaPath(data) } },
          required: ['type', 'data'],
        },
      ],
    },
  },
  required: ['id', 'event', 'data'],
});

/** Documents each event as an object with the fields of the event. `data` is JSON. */
const ProjectEventStreamResponse = (): MethodDecorator =>
  applyDecorators(
    ApiExtraModels(EventEnvelope, ResyncData, ...Object.values(PROJECT_EVENTS).map(({ data }) => data)),
    ApiResponse({
      status: 200,
      description: 'Successful Response',
      content: {
        'text/event-stream': {
          schema: {
            oneOf: [
              ...Object.entries(PROJECT_EVENTS).map(eventSchema),
              {
                type: 'object',
                title: 'resync',
                properties: {
                  event: { type: 'string', const: 'resync' },
                  data: { $ref: getSchemaPath(ResyncData) },
                },
                required: ['event', 'data'],
              },
            ],
          },
        },
      },
    }),
  );

@Controller('projects/:project_id/events')
export class ProjectEventsController {
  constructor(private readonly streams: ProjectEventStreamsService) {}

  @Get()
  @StaysOpen()
  @ProjectEventStreamResponse()
  @Operation({
    tag: 'Projects',
    summary: 'Stream project events',
    description:
      'Server-sent events for all changes in a project, by any actor, until the client disconnects, its token ' +
      'expires, or the caller loses access to the project. `data` is the event as JSON, with its `id`, `type`, ' +
      '`project_id`, `at` and `actor`, and an inner `data` that describes the change. The stream starts with the ' +
      'next change. With `Last-Event-ID`, it sends every later event exactly once, in order. Events are kept for ' +
      '24 hours. A `resync` event means that events are missing. Swagger UI cannot display a stream: run its curl ' +
      'command in a terminal with the option `-N`.',
    errors: ['too_many_streams'],
    extension: true,
  })
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description: 'Id of the last event received before a connection was lost',
    schema: { type: 'string' },
  })
  async streamProjectEvents(
    @ReadingCaller() reader: ProjectReader,
    @Param('project_id') projectId: string,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res() response: ServerResponse,
  ): Promise<void> {
    await this.streams.stream(reader, projectId, lastEventId, response);
  }
}
