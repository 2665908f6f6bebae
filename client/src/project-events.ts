import { ConnectionError } from './errors.js';
import { openStream } from './event-streams.js';
import { type Following, Persistence } from './retry.js';
import type { ProjectEvent, Schemas } from './schemas.js';
import type { Transport } from './transport.js';

const EVENTS = '/api/v1/projects/{project_id}/events';

/** Read again what is shown of the project: the stream begins here (`opened`), or events before this are missing. */
export interface Resync {
  type: 'resync';
  reason: 'opened' | Exclude<Schemas['ResyncData']['reason'], 'too_slow'>;
}

export interface ProjectEventsOptions extends Following {
  /** Ends it: the iterator throws the signal's reason. Leaving the loop ends it as well. */
  signal?: AbortSignal;
  /** The id of the last event that the reader has had; absent: it begins with a {@link Resync}. */
  after?: number;
}

/** The events of a project, each once; ends after `project.deleted`. */
export async function* projectEvents(
  transport: Transport,
  project_id: string,
  { signal, after, ...following }: ProjectEventsOptions,
): AsyncGenerator<ProjectEvent | Resync, void> {
  const persistence = new Persistence(transport.retry, signal, following);
  let last = after;
  for (;;) {
    let failure: unknown;
    try {
      const header = last === undefined ? {} : { 'Last-Event-ID': String(last) };
      const stream = await openStream(transport, EVENTS, { path: { project_id }, header }, signal);
      persistence.reached();
      try {
        if (last === undefined) yield { type: 'resync', reason: 'opened' };
        for await (const group of stream.events) {
          if (group.length > 0) persistence.succeeded();
          for (const { event, data } of group) {
            if (event === 'resync') {
              const { reason } = JSON.parse(data) as Schemas['ResyncData'];
              // It is disconnected then, and nothing is lost: it goes on after the last event that it had.
              if (reason !== 'too_slow') yield { type: 'resync', reason };
              continue;
            }
            const told = JSON.parse(data) as ProjectEvent;
            last = told.id;
            yield told;
            if (told.type === 'project.deleted') return;
          }
        }
      } finally {
        await stream.close();
      }
      failure = new ConnectionError('The service has ended the event stream');
    } catch (error) {
      failure = error;
    }
    await persistence.failed(failure);
  }
}
