import type { ConversationId } from '../../database/checked-id.js';
import { EntityRepository } from '../../database/entity-repository.js';
import type { BodyEvent } from '../messages/message-body.js';
import { emptyMessageJson, messageJson } from '../messages/message-json.sql.js';
import type { UnwrittenEvent } from '../messages/unwritten-events.js';
import { TurnEvent, type TurnEventType } from './turn-event.entity.js';
import type { TurnOutcome } from './turn.entity.js';

/**
 * Event to store. `data` is JSON text. For the first and the last event, the SQL statement adds the turn's message to `data`.
 */
export interface EventRow {
  type: TurnEventType;
  data: string;
}

/** First event in a turn. The SQL statement adds the turn's message, still empty. */
export const STARTED: EventRow = { type: 'turn.started', data: 'null' };

export const bodyEvent = ({ type, ...data }: BodyEvent): EventRow => ({ type, data: JSON.stringify(data) });

/** Returns the last event in a turn. It contains the finished message, or null if the agent wrote nothing. */
export const endedEvent = (outcome: TurnOutcome): EventRow => ({ type: 'turn.ended', data: JSON.stringify(outcome) });

/** Converts events to the three statement parameters of {@link insertEvents}: first sequence number, types and data. */
export const eventParameters = (first_seq: number, events: EventRow[]): [number, string[], string[]] => [
  first_seq,
  events.map(({ type }) => type),
  events.map(({ data }) => data),
];

/**
 * SQL expression that adds the message to the data of a turn's first and last event. The row `m` is the turn's message. All its
 * columns are null if the turn has no message.
 */
export const WITH_MESSAGE = `
  CASE event.type
    WHEN 'turn.started' THEN concat('{"message_id":"', m.id, '","message":', ${emptyMessageJson('')}, '}')
    WHEN 'turn.ended' THEN concat('{"outcome":', event.data, ',"message":', CASE WHEN m.id IS NULL THEN 'null' ELSE ${messageJson('')} END, '}')
    ELSE event.data END`;

/**
 * Returns SQL that inserts events into a turn. All arguments are SQL, such as placeholders for {@link eventParameters}. `from`
 * is a FROM item or empty. `eventData` is the data of an event, and must be {@link WITH_MESSAGE} if the first or the last event
 * may be included.
 */
export const insertEvents = (
  turn_id: string,
  [seq, types, data]: [string, string, string],
  from = '',
  eventData = 'event.data',
): string => `
  INSERT INTO turn_events (turn_id, seq, type, data)
  SELECT ${turn_id}, ${seq}::integer + event.place - 1, event.type, (${eventData})::json
    FROM ${from} unnest(${types}::text[], ${data}::text[]) WITH ORDINALITY AS event (type, data, place)`;

/** Returns SQL that removes the events of the turns in the rows `turns`. */
export const removeEvents = (turns: string): string =>
  `DELETE FROM turn_events WHERE turn_id = ANY (ARRAY(SELECT id FROM ${turns}))`;

/**
 * Stores the events of turns. They are kept for some time after the end of the turn, so that readers of the live stream can
 * resume.
 */
export class TurnEventsRepository extends EntityRepository(TurnEvent) {
  /** Returns a turn's events, starting at sequence number `seq`. */
  async since(turn_id: string, seq: number): Promise<UnwrittenEvent[]> {
    return await this.query('SELECT type, data FROM turn_events WHERE turn_id = $1 AND seq >= $2 ORDER BY seq', [
      turn_id,
      seq,
    ]);
  }

  /** Removes up to `limit` events of a conversation's turns. Returns their number. */
  async removePage(conversation_id: ConversationId, limit: number): Promise<number> {
    const [, rows]: [unknown[], number] = await this.query(
      `DELETE FROM turn_events WHERE ctid = ANY (ARRAY(
     SELECT e.ctid FROM turns t JOIN turn_events e ON e.turn_id = t.id
      WHERE t.conversation_id = $1 AND t.keeps_events LIMIT $2))`,
      [conversation_id, limit],
    );
    return rows;
  }
}
