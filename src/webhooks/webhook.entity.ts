import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** Maximum number of webhooks per company. */
export const MAX_WEBHOOKS = 20;

/** Receiver of a company's events. */
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

  /** Project whose events are sent. Null for all of the company's events. */
  @Column('uuid', { nullable: true })
  project_id!: string | null;

  @Column('boolean', { default: true })
  active!: boolean;

  /** Only events since this time are sent. */
  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  active_since!: Date;

  /** Encrypted. Can be decrypted only for this webhook. */
  @Column('bytea')
  secret!: Buffer;

  /** Number of failed deliveries since the last success. */
  @Column('integer', { default: 0 })
  failures!: number;

  /** Number of events that were not sent because too many deliveries were waiting, and the time of the last such event. */
  @Column('bigint', { default: 0 })
  skipped_events!: number;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  last_skipped_at!: Date | null;

  /** Process that delivers the webhook's events. Used only by processes of the previous version. */
  @Column('uuid', { nullable: true })
  owner!: string | null;

  /** Lease expiry. Without an owner, the time when the last lease would have expired. */
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
