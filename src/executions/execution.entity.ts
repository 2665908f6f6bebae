import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';

export const EXECUTION_STATUSES = ['queued', 'running', 'succeeded', 'failed', 'canceled'] as const;

/** One run of the solver on a project's model. */
@Entity({ name: 'executions' })
export class Execution {
  @PrimaryGeneratedColumn('uuid')
  id!: string;

  @Column('uuid')
  project_id!: string;

  @Column('text', { default: 'queued' })
  status!: (typeof EXECUTION_STATUSES)[number];

  /** `user:<id>`, `api_key:<id>` or `agent:<turn id>`. */
  @Column('text')
  triggered_by!: string;

  @Column('text', { array: true, nullable: true })
  input_file_ids!: string[] | null;

  @Column('boolean', { default: false })
  is_test!: boolean;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  created_at!: Date;
}
