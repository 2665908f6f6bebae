import type { ProjectId } from '../../database/checked-id.js';
import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { envelopeOf } from '../../events/envelope.js';
import { EventsRepository } from '../../events/events.repository.js';
import type { EventOutput } from '../../common/event-stream/event-output.js';
import { resync } from '../../common/event-stream/server-sent-event.js';
import type { WakeSignal } from '../../common/event-stream/wake-signal.js';
import { NotFound } from '../../common/errors/errors.js';
import type { ProjectReader } from '../project-access.js';
import { ProjectsRepository } from '../projects.repository.js';
import { OpenStreamsService } from './open-streams.service.js';
import { ProjectEventHubService } from './project-event-hub.service.js';

const EVENT_ID = /^\d{1,15}$/;

@Injectable()
export class ProjectEventStreamsService {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly events: EventsRepository,
    private readonly hub: ProjectEventHubService,
    private readonly streams: OpenStreamsService,
  ) {}

  /**
   * Streams a project's events after `lastEventId`. Without `lastEventId`, streams only new events. Ends after the project was
   * deleted, and as {@link OpenStreamsService.run} describes.
   *
   * @throws NotFound, TooManyRequests or Unavailable before the response starts
   */
  async stream(
    reader: ProjectReader,
    projectId: string,
    lastEventId: string | undefined,
    response: ServerResponse,
  ): Promise<void> {
    const { id: project_id } = await this.projects.require(reader, projectId);
    // The position is read before the response starts, so that the reader receives every change that it makes once the response
    // headers have arrived.
    const present = await this.present(project_id);
    if (present === null) throw new NotFound('Project');
    const followed = {
      reader,
      project_id,
      outlivesProject: true,
      watch: (wake: () => void) => this.hub.watch(project_id, wake),
      feed: async (output: EventOutput, signal: WakeSignal) =>
        await this.feed(reader.caller.company_id, project_id, lastEventId || undefined, present, output, signal),
    };
    await this.streams.run(followed, response);
  }

  private async feed(
    company_id: string,
    project_id: ProjectId,
    lastEventId: string | undefined,
    present: number,
    output: EventOutput,
    signal: WakeSignal,
  ): Promise<void> {
    let last = lastEventId === undefined ? present : EVENT_ID.test(lastEventId) ? Number(lastEventId) : Infinity;
    if (last > present) {
      if (!(await output.send([resync('unknown_position')]))) return;
      last = present;
    }
    while (output.isOpen) {
      const following = await this.hub.read(company_id, project_id, last);
      if (following === null) return;
      const { events, last_id } = following;
      const first = events[0]?.id ?? last_id + 1;
      if (first !== last + 1) {
        if (!(await output.send([resync('evicted')]))) return;
        last = last_id;
        continue;
      }
      const sent = events.map((event) => ({
        id: String(event.id),
        type: event.type,
        data: envelopeOf(event, project_id),
      }));
      if (!(await output.send(sent))) return;
      last = events.at(-1)?.id ?? last;
      if (last < last_id) continue;
      if (events.at(-1)?.type === 'project.deleted') return;
      await signal.received();
    }
  }

  private async present(project_id: ProjectId): Promise<number | null> {
    const head = (await this.events.heads([project_id])).get(project_id);
    return head === undefined ? null : Number(head);
  }
}
