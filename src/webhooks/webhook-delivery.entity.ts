import { Column, CreateDateColumn, Entity, Generated, PrimaryGeneratedColumn } from 'typeorm';

export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Delivery of an event to a webhook, with the result of its last attempt. */
@Entity({ name: 'webhook_deliveries' })
export class WebhookDelivery {
  @PrimaryGeneratedColumn('uuid')
  id!: string;

  @Column('uuid')
  webhook_id!: string;

  /** Position in the order of deliveries. */
  @Column('bigint')
  @Generated('increment')
  place!: number;

  /** Id of the project, or of the company's own stream. Order is kept within a stream. */
  @Column('uuid')
  stream_id!: string;

  /** `webhook-id` header, which is the same for all attempts. */
  @Column('text')
  message_id!: string;

  @Column('text')
  type!: string;

  /** Event envelope, as it is signed and sent. */
  @Column('text')
  body!: string;

  @Column('text', { default: 'pending' })
  state!: DeliveryState;

  @Column('integer', { default: 0 })
  attempts!: number;

  /** Null unless the delivery is pending. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true, default: () => 'now()' })
  next_attempt_at!: Date | null;

  /** Start of the retry period. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  first_attempt_at!: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  last_attempt_at!: Date | null;

  /**
   * Status of the response to the last attempt, or null if there was no response. The next two columns also describe this
   * attempt.
   */
  @Column('integer', { nullable: true })
  response_status!: number | null;

  /** First kilobyte of the response. */
  @Column('text', { nullable: true })
  response!: string | null;

  /** Reason for a missing response. */
  @Column('text', { nullable: true })
  error!: string | null;

  /** Process that is sending the delivery. */
  @Column('uuid', { nullable: true })
  owner!: string | null;

  /** Lease expiry. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  due_at!: Date | null;

  @Column('integer', { default: 0 })
  generation!: number;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  created_at!: Date;
}
