import { ProjectEvents } from '../dist/src/events/project-events.service.js';

/*
 * Preloaded into the built service. After the message `without events`, changes are not recorded as events until the message
 * `with events`.
 */
const { note, by } = ProjectEvents.prototype;

process.on('message', (message) => {
  if (message === 'with events') Object.assign(ProjectEvents.prototype, { note, by });
  if (message === 'without events')
    Object.assign(ProjectEvents.prototype, { note: () => undefined, by: () => undefined });
});
