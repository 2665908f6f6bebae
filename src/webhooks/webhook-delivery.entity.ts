import { Column, CreateDateColumn, Entity, Generated, PrimaryGeneratedColumn } from 'typeorm';

export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** An event on its way to a webhook, and what became of it. */
@Entity({ name: 'webhook_deliveries' })
export class WebhookDelivery {
  @PrimaryGeneratedColumn('uuid')
  id!: string;

  @Column('uuid')
  webhook_id!: string;

  /** In the order of which deliveries are sent. */
  @Column('bigint')
  @Generated('increment')
  place!: number;

  /** The project, among whose events the order is kept. */
  @Column('uuid')
  stream_id!: string;

  /** `webhook-id`: the same whenever the event is sent. */
  @Column('text')
  message_id!: string;

  @Column('text')
  type!: string;

  /** The envelope, as it is signed and sent. */
  @Column('text')
  body!: string;

  @Column('text', { default: 'pending' })
  state!: DeliveryState;

  @Column('integer', { default: 0 })
  attempts!: number;

  /** While it is pending. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true, default: () => 'now()' })
  next_attempt_at!: Date | null;

  /** From which the time for retries counts. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  first_attempt_at!: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  last_attempt_at!: Date | null;

  /** Of the last attempt, as are the two after it. */
  @Column('integer', { nullable: true })
  response_status!: number | null;

  /** The first kilobyte of the answer. */
  @Column('text', { nullable: true })
  response!: string | null;

  /** Why there was no answer. */
  @Column('text', { nullable: true })
  error!: string | null;

  /** The process that sends it. */
  @Column('uuid', { nullable: true })
  owner!: string | null;

  /** When the owner counts as dead. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  due_at!: Date | null;

  @Column('integer', { default: 0 })
  generation!: number;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  created_at!: Date;
}
