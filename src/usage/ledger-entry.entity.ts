import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** What one turn or execution has cost; inserted once, never changed. */
@Entity({ name: 'usage_ledger' })
export class LedgerEntry {
  @PrimaryGeneratedColumn('uuid')
  id!: string;

  @Column('text')
  company_id!: string;

  @Column('uuid')
  project_id!: string;

  @Column('text')
  user_id!: string;

  @Column('text')
  source_type!: 'turn' | 'execution';

  /** The turn or execution; unique, so that it is charged once. */
  @Column('uuid')
  source_id!: string;

  @Column('numeric', { precision: 20, scale: 6 })
  credits!: number;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  created_at!: Date;
}
