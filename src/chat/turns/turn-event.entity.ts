import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Types of turn events, in the live stream and in the database. */
export type TurnEventType =
  'turn.started' | 'text.delta' | 'tool.started' | 'tool.finished' | 'cards.changed' | 'turn.ended';

/** Event in a turn. Stored in the same transaction as its effect on the turn's message. */
@Entity({ name: 'turn_events' })
export class TurnEvent {
  @PrimaryColumn('uuid')
  turn_id!: string;

  /** Zero-based position in the turn, without gaps. */
  @PrimaryColumn('integer')
  seq!: number;

  @Column('text')
  type!: TurnEventType;

  /** Data to stream, as JSON text. */
  @Column('json')
  data!: unknown;
}
