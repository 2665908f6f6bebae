import type { ConversationId, ProjectId } from '../../database/checked-id.js';
import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { RevisionColumn } from '../../database/revision-column.js';
import { Steps } from '../../common/leases/steps.js';
import type { Spender } from '../../usage/spender.js';

export const TURN_STATES = ['idle', 'dispatched', 'streaming'] as const;

/** Transitions between the states of a turn. A turn without visible output is dispatched again if its process dies. */
export const TURN_STEPS = new Steps<Turn['state']>({
  dispatched: ['streaming', 'ended'],
  streaming: ['dispatched', 'ended'],
  ended: [],
});

export const TURN_OUTCOMES = ['completed', 'failed', 'interrupted', 'stopped'] as const;
export type TurnOutcome = (typeof TURN_OUTCOMES)[number];

/** The agent's answer to all messages that were posted before the turn started. */
@Entity({ name: 'turns' })
export class Turn {
  @PrimaryGeneratedColumn('uuid')
  id!: string;

  @Column('uuid')
  project_id!: ProjectId;

  @Column('uuid')
  conversation_id!: ConversationId;

  @Column('text')
  company_id!: string;

  /** Spender of the turn: the user or API key that wrote the first message it answers. */
  @Column('text', { nullable: true })
  user_id!: string | null;

  @Column('uuid', { nullable: true })
  api_key_id!: string | null;

  @Column('text', { default: 'dispatched' })
  state!: 'dispatched' | 'streaming' | 'ended';

  @Column('text', { nullable: true })
  outcome!: TurnOutcome | null;

  @Column('integer', { default: 0 })
  attempts!: number;

  /** Number of times the turn was claimed. Each write by a worker succeeds only if its generation is still current. */
  @Column('integer', { default: 0 })
  generation!: number;

  /** Process that runs the turn. */
  @Column('uuid', { nullable: true })
  owner!: string | null;

  /** End of the owner's lease, while the turn is streaming. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true, default: () => "clock_timestamp() + interval '15 s'" })
  due_at!: Date | null;

  @Column('uuid', { nullable: true })
  message_id!: string | null;

  /** Number of events so far, and sequence number of the next event. */
  @Column('integer', { default: 0 })
  next_seq!: number;

  /** Sequence number of the first event that is missing from the message's row. Null if the row contains all events. */
  @Column('integer', { nullable: true })
  body_seq!: number | null;

  /** Language model that answers the turn, or `guide`. Set when a worker claims the turn. */
  @Column('text', { nullable: true })
  model!: string | null;

  /** Cost so far, including failed attempts. */
  @Column('numeric', { precision: 20, scale: 6, default: 0 })
  credits!: number;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  ended_at!: Date | null;

  /** Becomes false when the turn's events are removed, some time after the end of the turn. */
  @Column('boolean', { default: true })
  keeps_events!: boolean;

  @RevisionColumn()
  revision!: string;
}

/** Returns the user or API key that is charged for a turn. */
export function spenderOf({ user_id, api_key_id }: Pick<Turn, 'user_id' | 'api_key_id'>): Spender {
  if (user_id !== null) return { user_id, api_key_id: null };
  if (api_key_id !== null) return { user_id: null, api_key_id };
  throw new Error('The turn has no spender');
}
