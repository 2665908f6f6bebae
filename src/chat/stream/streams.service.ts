import type { ConversationId } from '../../database/checked-id.js';
import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { EventOutput } from '../../common/event-stream/event-output.js';
import { type ResyncReason, resync } from '../../common/event-stream/server-sent-event.js';
import type { WakeSignal } from '../../common/event-stream/wake-signal.js';
import type { ProjectReader } from '../../projects/project-access.js';
import { ProjectsRepository } from '../../projects/projects.repository.js';
import { OpenStreamsService } from '../../projects/streams/open-streams.service.js';
import { ConversationsRepository } from '../conversations/conversations.repository.js';
import { type Position, positionAfter, positionAt } from './position.js';
import type { ChatStreamQuery } from './stream.dto.js';
import { StreamHubService } from './stream-hub.service.js';
import { type Cursor, StreamReadsRepository } from './stream-reads.repository.js';
import { stepAfter } from './stream-step.js';

/** Parameters for a stream request. */
export interface StreamRequest extends ChatStreamQuery {
  /** Sent by an EventSource when it reconnects. Takes precedence over the query, which an EventSource does not update. */
  lastEventId: string | undefined;
}

/** Streams conversation events. */
@Injectable()
export class StreamsService {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly conversations: ConversationsRepository,
    private readonly reads: StreamReadsRepository,
    private readonly hub: StreamHubService,
    private readonly streams: OpenStreamsService,
  ) {}

  /**
   * Streams a conversation's events. Ends as {@link OpenStreamsService.run} describes.
   *
   * @throws NotFound, TooManyRequests or Unavailable before the first event is sent
   */
  async stream(
    reader: ProjectReader,
    projectId: string,
    request: StreamRequest,
    response: ServerResponse,
  ): Promise<void> {
    const project = await this.projects.require(reader, projectId);
    const { id } = await this.conversations.require(project.id, request.conversation_id);
    const position = requestedPosition(request);
    // The position is read before the response starts, so that the reader gets every change after that.
    const present = position === null ? await this.reads.present(id) : null;
    const followed = {
      reader,
      project_id: project.id,
      watch: (wake: () => void) => this.hub.watch(id, wake),
      feed: async (output: EventOutput, signal: WakeSignal) =>
        await this.feed(project.company_id, id, position, present, output, signal),
    };
    await this.streams.run(followed, response);
  }

  private async feed(
    company_id: string,
    id: ConversationId,
    requested: Position | 'unknown' | null,
    present: Cursor | null,
    output: EventOutput,
    signal: WakeSignal,
  ): Promise<void> {
    // The position is read before the event is sent, because the reader fetches the messages as soon as it receives the event.
    const start = async (reason: ResyncReason): Promise<Cursor | null> => {
      const position = await this.reads.present(id);
      return (await output.send([resync(reason)])) ? position : null;
    };
    let cursor = present;
    if (requested !== null) {
      const resumed = requested === 'unknown' ? null : await this.reads.cursorAt(id, requested);
      cursor = resumed ?? (await start('unknown_position'));
    }
    while (cursor !== null && output.isOpen) {
      const following = await this.hub.read(company_id, id, cursor);
      // The conversation was deleted.
      if (following === null) return;
      const step = stepAfter(cursor, following);
      if (step === null) {
        cursor = await start('evicted');
        continue;
      }
      if (!(await output.send(step.events))) return;
      cursor = step.cursor;
      if (!step.more) await signal.received();
    }
  }
}

function requestedPosition({ lastEventId, turn_id, from_seq }: StreamRequest): Position | 'unknown' | null {
  if (lastEventId !== undefined && lastEventId !== '') return positionAfter(lastEventId) ?? 'unknown';
  return turn_id === undefined ? null : (positionAt(turn_id, from_seq) ?? 'unknown');
}
