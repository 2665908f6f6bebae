import { type Following, RetryState } from './retry.js';
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

/** Yields each of a project's events once. Ends after `project.deleted`. */
export async function* projectEvents(
  transport: Transport,
  project_id: string,
  { signal, after, ...following }: ProjectEventsOptions,
): AsyncGenerator<ProjectEvent | Resync, void> {
  const retryState = new RetryState(transport.retry, signal, following);
  const shared = new SharedStream(transport, EVENTS, [project_id], signal);
  let lastEventId = after;
  let isResumed = false;
  try {
    for (;;) {
      try {
        const header = lastEventId === undefined ? {} : { 'Last-Event-ID': String(lastEventId) };
        const stream = await shared.open({ params: { path: { project_id }, header }, isResumed });
        retryState.recordContact();
        try {
          if (lastEventId === undefined && stream.isJoined !== true) yield { type: 'resync', reason: 'opened' };
          for await (const group of stream.events) {
            if (group === null) {
              lastEventId = undefined;
              yield { type: 'resync', reason: 'opened' };
            } else if (group.length > 0) retryState.recordSuccess();
            for (const { event, data } of group ?? []) {
              if (event === 'resync') {
                const { reason } = JSON.parse(data) as Schemas['ResyncData'];
                // The service disconnects slow readers. The next stream resumes after the last event, so nothing is lost.
                if (reason !== 'too_slow') yield { type: 'resync', reason };
                continue;
              }
              const projectEvent = JSON.parse(data) as ProjectEvent;
              // The window that reads the stream may have opened it at an earlier event.
              if (lastEventId !== undefined && projectEvent.id <= lastEventId) continue;
              lastEventId = projectEvent.id;
              isResumed = true;
              yield projectEvent;
              if (projectEvent.type === 'project.deleted') return;
            }
          }
        } finally {
          await stream.close();
        }
      } catch (error) {
        await retryState.waitAfterFailure(error);
      }
    }
  } finally {
    shared.close();
  }
}
