import type { StoredEvent } from './events.repository.js';

/**
 * Returns an event as it is sent: JSON text without line breaks.
 * @param project_id null for company events
 */
export function envelopeOf(
  { id, type, at, actor_kind, actor_id, data }: StoredEvent,
  project_id: string | null,
): string {
  const head = JSON.stringify({
    id,
    type,
    ...(project_id !== null && { project_id }),
    at,
    actor: { kind: actor_kind, id: actor_id },
  });
  return `${head.slice(0, -1)},"data":${data}}`;
}
