import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ACTOR_KINDS, type Actor } from './event-types.js';

/** Something that has happened in a project; kept for a day. */
@Entity({ name: 'events' })
export class Event {
  /** The project. */
  @PrimaryColumn('uuid')
  stream_id!: string;

  /** Counts the events of the stream from 1, without a gap, in the order of their commits. */
  @PrimaryColumn('bigint')
  id!: number;

  @Column('text')
  type!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  at!: Date;

  @Column({ type: 'enum', enum: ACTOR_KINDS, enumName: 'event_actor_kind' })
  actor_kind!: Actor['kind'];

  @Column('text', { nullable: true })
  actor_id!: string | null;

  @Column('json')
  data!: object;
}
