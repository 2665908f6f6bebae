import type { components, paths } from './openapi.js';

/** Schemas of `openapi.json` by name. */
export type Schemas = components['schemas'];

type StreamedBy<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'text/event-stream': infer Event } } } };
}
  ? Event
  : never;

/** Event in a conversation. See docs/chat-stream.md. */
export type ChatEvent = StreamedBy<'/api/v1/projects/{project_id}/chat/stream'>;

type StreamedProjectEvent = StreamedBy<'/api/v1/projects/{project_id}/events'>;

/** Event in a project. See docs/events.md. */
export type ProjectEvent = Extract<StreamedProjectEvent, { id: string }>['data'];
