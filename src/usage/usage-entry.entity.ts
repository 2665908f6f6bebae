import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** Cost of a turn or execution, charged to a user or an API key. Never changed or removed. */
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

  /** Id of the turn or execution. Unique, so that it is charged only once. */
  @Column('uuid')
  source_id!: string;

  @Column('numeric', { precision: 20, scale: 6 })
  credits!: number;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column('uuid', { nullable: true })
  api_key_id!: string | null;

  /** Language model that answered, `guide`, or the solver. Null for entries that are older than this column. */
  @Column('text', { nullable: true })
  model!: string | null;
}

/** New ledger entry. */
export type Charge = Omit<UsageEntry, 'id' | 'created_at'>;
