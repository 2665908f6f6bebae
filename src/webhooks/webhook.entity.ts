import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** Most webhooks of a company. */
export const MAX_WEBHOOKS = 20;

/** Where events of a company are sent. */
@Entity({ name: 'webhooks' })
export class Webhook {
  @PrimaryGeneratedColumn('uuid')
  id!: string;

  @Column('text')
  company_id!: string;

  @Column('text')
  url!: string;

  /** Types of the events that are sent. */
  @Column('text', { array: true })
  events!: string[];

  /** Whose events alone are sent. */
  @Column('uuid', { nullable: true })
  project_id!: string | null;

  @Column('boolean', { default: true })
  active!: boolean;

  /** Events from then on are sent. */
  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  active_since!: Date;

  /** Encrypted, for this row alone. */
  @Column('bytea')
  secret!: Buffer;

  /** Deliveries that failed since one succeeded. */
  @Column('integer', { default: 0 })
  failures!: number;

  /** Events that were not sent because too many deliveries waited, and the time of the last one. */
  @Column('bigint', { default: 0 })
  skipped_events!: number;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  last_skipped_at!: Date | null;

  /** The process of the version before that delivers. */
  @Column('uuid', { nullable: true })
  owner!: string | null;

  /** When the owner counts as dead; of a webhook without one, when it would have. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  due_at!: Date | null;

  @Column('integer', { default: 0 })
  generation!: number;

  @Column('integer', { default: 0 })
  attempts!: number;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;
}
