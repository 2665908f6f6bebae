import { type BodyEvent, EMPTY_BODY } from '../messages/message-body.js';
import type { StoredMessage } from '../messages/messages.service.js';
import type { TurnEventType } from './turn-event.entity.js';
import type { TurnOutcome } from './turn.entity.js';

/** An event as it is stored and sent; `data` is the JSON text of an object. */
export interface EventRow {
  type: TurnEventType;
  data: string;
}

/** The first event of a turn: its message, as it is before the second one. */
export function startedEvent({ id, json }: StoredMessage): EventRow {
  const message = { ...(JSON.parse(json) as object), is_partial: true, ...EMPTY_BODY };
  return { type: 'turn.started', data: JSON.stringify({ message_id: id, message }) };
}

export const bodyEvent = ({ type, ...data }: BodyEvent): EventRow => ({ type, data: JSON.stringify(data) });

/** The last event of a turn; `message` is the JSON text of what it has written, null when that is nothing. */
export const endedEvent = (outcome: TurnOutcome, message: string | null): EventRow => ({
  type: 'turn.ended',
  data: `{"outcome":"${outcome}","message":${message ?? 'null'}}`,
});

/** Events as three parameters of a statement that holds {@link insertEvents}: the first one's seq, types and data. */
export const eventParameters = (first_seq: number, events: EventRow[]): [number, string[], string[]] => [
  first_seq,
  events.map(({ type }) => type),
  events.map(({ data }) => data),
];

/** Inserts the events of {@link eventParameters} in a turn; each argument is SQL, `from` is a FROM item or nothing. */
export const insertEvents = (turn_id: string, [seq, types, data]: [string, string, string], from = ''): string => `
  INSERT INTO turn_events (turn_id, seq, type, data)
  SELECT ${turn_id}, ${seq}::integer + event.place - 1, event.type, event.data::json
    FROM ${from} unnest(${types}::text[], ${data}::text[]) WITH ORDINALITY AS event (type, data, place)`;
