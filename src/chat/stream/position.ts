/** Reader's position in a turn's events. */
export interface Position {
  turn_id: string;
  /** Sequence number of the next event to send. */
  next_seq: number;
}

const EVENT_ID = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):(\d{1,9})$/i;
const MAX_SEQ = 2 ** 31 - 1;

/** Returns the `id` of an event in the stream. */
export const eventId = (turn_id: string, seq: number): string => `${turn_id}:${seq}`;

/** Returns the position after an event, or null if the string is not an event id. */
export function positionAfter(lastEventId: string): Position | null {
  const [, turn_id, seq] = EVENT_ID.exec(lastEventId) ?? [];
  return turn_id === undefined ? null : positionAt(turn_id, Number(seq) + 1);
}

/** Returns the position before an event, or null if the id is malformed. */
export function positionAt(turn_id: string, from_seq: number): Position | null {
  if (!EVENT_ID.test(eventId(turn_id, 0)) || from_seq > MAX_SEQ) return null;
  return { turn_id: turn_id.toLowerCase(), next_seq: from_seq };
}
