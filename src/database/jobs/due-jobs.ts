import { EventEmitter } from 'node:events';
import type { WorkerEvents } from 'graphile-worker';

/** Delay between two looks for jobs whose time has come; what is due at once is told by a notification. */
const LOOK_MS = 2_000;

/** What the workers of a runner wait by themselves: next to {@link lookingInTurn}, it is of no account. */
export const WORKER_POLL_MS = 600_000;

/**
 * Has one of a runner's workers look for due jobs again and again, in place of all of them: a hundred idle ones would ask
 * the database fifty times a second. Who finds a job has the next one look at once.
 *
 * @returns the events of the runner
 */
export function lookingInTurn(): WorkerEvents {
  const events: WorkerEvents = new EventEmitter();
  events.once('pool:create', ({ workerPool }) => {
    const look = (): void => workerPool.nudge(1);
    const timer = setInterval(look, LOOK_MS);
    events.on('job:start', look);
    // From then on its workers must not be woken.
    const stop = (): void => {
      clearInterval(timer);
      events.off('job:start', look);
    };
    events.once('pool:gracefulShutdown', stop);
    events.once('pool:forcefulShutdown', stop);
    workerPool.promise.then(stop, stop);
  });
  return events;
}
