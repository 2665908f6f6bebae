import type { ConversationId } from '../../database/checked-id.js';
import { EntityRepository } from '../../database/entity-repository.js';
import type { BodyEvent } from '../messages/message-body.js';
import { emptyMessageJson, messageJson } from '../messages/message-json.sql.js';
import type { UnwrittenEvent } from '../messages/unwritten-events.js';
import { TurnEvent, type TurnEventType } from './turn-event.entity.js';
import type { TurnOutcome } from './turn.entity.js';

/** An event to store; `data` is JSON text, of the first and the last event without the turn's message, which SQL adds. */
export interface EventRow {
  type: TurnEventType;
  data: string;
}

/** The first event of a turn: its message, as it is before the second one. */
export const STARTED: EventRow = { type: 'turn.started', data: 'null' };

export const bodyEvent = ({ type, ...data }: BodyEvent): EventRow => ({ type, data: JSON.stringify(data) });

/** The last event of a turn, with the message in which all that the agent has written is; null when that is nothing. */
export const endedEvent = (outcome: TurnOutcome): EventRow => ({ type: 'turn.ended', data: JSON.stringify(outcome) });

/** Events as three parameters of a statement that holds {@link insertEvents}: the first one's seq, types and data. */
export const eventParameters = (first_seq: number, events: EventRow[]): [number, string[], string[]] => [
  first_seq,
  events.map(({ type }) => type),
  events.map(({ data }) => data),
];

/** SQL of what an event tells where the turn's message is the row `m`, all null when there is none. */
export const WITH_MESSAGE = `
  CASE event.type
    WHEN 'turn.started' THEN concat('{"message_id":"', m.id, '","message":', ${emptyMessageJson('')}, '}')
    WHEN 'turn.ended' THEN concat('{"outcome":', event.data, ',"message":', CASE WHEN m.id IS NULL THEN 'null' ELSE ${messageJson('')} END, '}')
    ELSE event.data END`;

/**
 * Inserts the events of {@link eventParameters} in a turn. Each argument is SQL: `from` is a FROM item or nothing, `told`
 * what an event tells, {@link WITH_MESSAGE} where the first or last one can be among them.
 */
export const insertEvents = (
  turn_id: string,
  [seq, types, data]: [string, string, string],
  from = '',
  told = 'event.data',
): string => `
  INSERT INTO turn_events (turn_id, seq, type, data)
  SELECT ${turn_id}, ${seq}::integer + event.place - 1, event.type, (${told})::json
    FROM ${from} unnest(${types}::text[], ${data}::text[]) WITH ORDINALITY AS event (type, data, place)`;

/** SQL that removes the events of the turns of the rows `turns`. */
export const removeEvents = (turns: string): string =>
  `DELETE FROM turn_events WHERE turn_id = ANY (ARRAY(SELECT id FROM ${turns}))`;

/** The steps of turns, kept for readers of the live stream until some time after the turn. */
export class TurnEventsRepository extends EntityRepository(TurnEvent) {
  /** The events of a turn from `seq` on. */
  async since(turn_id: string, seq: number): Promise<UnwrittenEvent[]> {
    return await this.query('SELECT type, data FROM turn_events WHERE turn_id = $1 AND seq >= $2 ORDER BY seq', [
      turn_id,
      seq,
    ]);
  }

  /** Removes up to `limit` events of a conversation's turns and answers their number. */
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
