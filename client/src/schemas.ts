import type { components, paths } from './openapi.js';

/** The types of `openapi.json` by their names there. */
export type Schemas = components['schemas'];

type StreamedBy<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'text/event-stream': infer Event } } } };
}
  ? Event
  : never;

/** An event of a conversation; see docs/chat-stream.md. */
export type ChatEvent = StreamedBy<'/api/v1/projects/{project_id}/chat/stream'>;

type StreamedProjectEvent = StreamedBy<'/api/v1/projects/{project_id}/events'>;

/** Something that has happened in a project; see docs/events.md. */
export type ProjectEvent = Extract<StreamedProjectEvent, { id: string }>['data'];
