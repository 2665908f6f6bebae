/** Event to send. `data` is JSON text. A client can resume the stream after an event with an id. */
export interface StreamEvent {
  id?: string;
  type: string;
  data: string;
}

/**
 * Reasons in this order: the position is not from this stream, the events after it were removed, or the client was too slow.
 */
export const RESYNC_REASONS = ['unknown_position', 'evicted', 'too_slow'] as const;
export type ResyncReason = (typeof RESYNC_REASONS)[number];

/** Returns the event that makes a client reload the object that it follows, because the client's state is stale. */
export const resync = (reason: ResyncReason): StreamEvent => ({ type: 'resync', data: JSON.stringify({ reason }) });

/**
 * Formats events as server-sent events. `data` fits on one line, because JSON text from the database and from this service
 * contains no line breaks.
 */
export const toText = (events: StreamEvent[]): string =>
  events
    .map(({ id, type, data }) => `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${data}\n\n`)
    .join('');
