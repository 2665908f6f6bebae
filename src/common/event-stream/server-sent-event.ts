/** An event as it is sent; `data` is JSON text. One with an id can be resumed after. */
export interface StreamEvent {
  id?: string;
  type: string;
  data: string;
}

/** The position was never one of this stream; its events are gone; or the reader took too long to take them. */
export const RESYNC_REASONS = ['unknown_position', 'evicted', 'too_slow'] as const;
export type ResyncReason = (typeof RESYNC_REASONS)[number];

/** The reader's state is no longer valid: it must read again what it follows. */
export const resync = (reason: ResyncReason): StreamEvent => ({ type: 'resync', data: JSON.stringify({ reason }) });

/** Events in the format of server-sent events. JSON text of the database and of this service has no line breaks. */
export const toText = (events: StreamEvent[]): string =>
  events
    .map(({ id, type, data }) => `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${data}\n\n`)
    .join('');
