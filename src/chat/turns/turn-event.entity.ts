import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Types of the events that a turn is made of, in the live stream and in the database. */
export type TurnEventType =
  'turn.started' | 'text.delta' | 'tool.started' | 'tool.finished' | 'cards.changed' | 'turn.ended';

/** A step of a turn, stored in the transaction that shows its effect in the turn's message. */
@Entity({ name: 'turn_events' })
export class TurnEvent {
  @PrimaryColumn('uuid')
  turn_id!: string;

  /** Place in the turn, from 0 without gaps. */
  @PrimaryColumn('integer')
  seq!: number;

  @Column('text')
  type!: TurnEventType;

  /** What the stream sends, as JSON text. */
  @Column('json')
  data!: unknown;
}
