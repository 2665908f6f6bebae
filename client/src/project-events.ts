import { type Following, Persistence } from './retry.js';
import type { ProjectEvent, Schemas } from './schemas.js';
import { SharedStream } from './shared-stream.js';
import type { Transport } from './transport.js';

const EVENTS = '/api/v1/projects/{project_id}/events';

/**
 * Signals that the displayed project data must be read again. Either the stream has just begun (`opened`), or earlier events are
 * missing.
 */
export interface Resync {
  type: 'resync';
  reason: 'opened' | Exclude<Schemas['ResyncData']['reason'], 'too_slow'>;
}

export interface ProjectEventsOptions extends Following {
  /** Stops the stream. The iterator then throws the signal's reason. Breaking out of the loop also stops it. */
  signal?: AbortSignal;
  /** Id of the last event that the reader received. If absent, the stream begins with a {@link Resync}. */
  after?: number;
}

/** Yields each event of a project once. Ends after `project.deleted`. */
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
                // The service disconnects slow readers. The next stream resumes after the last event, so nothing is lost.
                if (reason !== 'too_slow') yield { type: 'resync', reason };
                continue;
              }
              const told = JSON.parse(data) as ProjectEvent;
              // The window that reads the stream may have opened it at an earlier event.
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
