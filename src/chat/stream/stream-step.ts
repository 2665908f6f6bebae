import type { StreamEvent } from '../../common/event-stream/server-sent-event.js';
import { eventId } from './position.js';
import { type Cursor, type Following, MAX_MESSAGES, MAX_TEXT } from './stream-reads.repository.js';

export interface Step {
  events: StreamEvent[];
  /** Position of the reader after the events. */
  cursor: Cursor;
  /** Whether more updates may be available immediately. */
  more: boolean;
}

/** Returns the events that follow a cursor, or null if some of them have already been removed. */
export function stepAfter(cursor: Cursor, { last_sequence, messages, turn, events }: Following): Step | null {
  const created = messages.flatMap(({ json, answered }) => [
    { type: 'message.created', data: `{"message":${json}}` },
    ...(answered === null ? [] : [{ type: 'message.updated', data: `{"message":${answered}}` }]),
  ]);
  // Messages are sent before the turn's events. A reader that is disconnected during the turn then already has the messages
  // that the turn answers.
  const newest = messages.at(-1);
  if (newest !== undefined && isCut(messages)) {
    return { events: created, cursor: { ...cursor, sequence: newest.sequence }, more: true };
  }
  if (turn === null) return { events: created, cursor: { ...cursor, sequence: last_sequence }, more: false };

  const { id: turn_id } = turn;
  const from = turn_id === cursor.turn_id ? cursor : { turn_id, next_seq: 0, announced: false };
  const isWhole = events.every(({ seq }, index) => seq === from.next_seq + index);
  if (!isWhole || (events.length === 0 && turn.next_seq > from.next_seq)) return null;
  const next_seq = from.next_seq + events.length;
  return {
    events: [
      ...created,
      ...(from.announced ? [] : [{ type: 'turn.dispatched', data: JSON.stringify({ turn_id }) }]),
      ...events.map(({ seq, type, data }) => ({ id: eventId(turn_id, seq), type, data })),
    ],
    cursor: { sequence: last_sequence, turn_id, next_seq, announced: true },
    more: turn.state === 'ended' || next_seq < turn.next_seq,
  };
}

/** Whether the read reached a limit, so that more messages may follow. */
function isCut(messages: Following['messages']): boolean {
  const bytes = messages.reduce((sum, { json, answered }) => sum + Buffer.byteLength(json + (answered ?? '')), 0);
  return messages.length === MAX_MESSAGES || bytes >= MAX_TEXT;
}
