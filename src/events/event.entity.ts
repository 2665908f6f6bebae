import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ACTOR_KINDS, type Actor } from './event-types.js';

/** Event of a project or company. Kept for a day. */
@Entity({ name: 'events' })
export class Event {
  /** Id of the project, or of the company's own stream. */
  @PrimaryColumn('uuid')
  stream_id!: string;

  /** Number of the event in its stream, starting at 1, without gaps and in commit order. */
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
