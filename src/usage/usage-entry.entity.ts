import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** What one turn or execution has cost, and who is charged: a user, or else an API key. Never changed nor removed. */
@Entity({ name: 'usage_ledger' })
export class UsageEntry {
  @PrimaryGeneratedColumn('uuid')
  id!: string;

  @Column('text')
  company_id!: string;

  @Column('uuid')
  project_id!: string;

  @Column('text', { nullable: true })
  user_id!: string | null;

  @Column('text')
  source_type!: 'turn' | 'execution';

  /** The turn or execution; unique, so that it is charged once. */
  @Column('uuid')
  source_id!: string;

  @Column('numeric', { precision: 20, scale: 6 })
  credits!: number;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column('uuid', { nullable: true })
  api_key_id!: string | null;

  /** The language model that answered, `guide`, or the solver; null of what was charged before it was noted. */
  @Column('text', { nullable: true })
  model!: string | null;
}

/** A new entry. */
export type Charge = Omit<UsageEntry, 'id' | 'created_at'>;
