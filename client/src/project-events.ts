import { type Following, Persistence } from './retry.js';
import type { ProjectEvent, Schemas } from './schemas.js';
import { SharedStream } from './shared-stream.js';
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
  const shared = new SharedStream(transport, EVENTS, [project_id], signal);
  let last = after;
  let isResumed = false;
  try {
    for (;;) {
      try {
        const header = last === undefined ? {} : { 'Last-Event-ID': String(last) };
        const stream = await shared.open({ params: { path: { project_id }, header }, isResumed });
        persistence.reached();
        try {
          if (last === undefined && stream.isJoined !== true) yield { type: 'resync', reason: 'opened' };
          for await (const group of stream.events) {
            if (group === null) {
              last = undefined;
              yield { type: 'resync', reason: 'opened' };
            } else if (group.length > 0) persistence.succeeded();
            for (const { event, data } of group ?? []) {
              if (event === 'resync') {
                const { reason } = JSON.parse(data) as Schemas['ResyncData'];
                // It is disconnected then, and nothing is lost: it goes on after the last event that it had.
                if (reason !== 'too_slow') yield { type: 'resync', reason };
                continue;
              }
              const told = JSON.parse(data) as ProjectEvent;
              // The window that has the stream may have opened it at an earlier event.
              if (last !== undefined && told.id <= last) continue;
              last = told.id;
              isResumed = true;
              yield told;
              if (told.type === 'project.deleted') return;
            }
          }
        } finally {
          await stream.close();
        }
      } catch (error) {
        await persistence.failed(error);
      }
    }
  } finally {
    shared.close();
  }
}
