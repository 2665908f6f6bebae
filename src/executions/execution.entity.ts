import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { Steps } from '../platform/leases/steps.js';
import type { SolveResult } from './solver/solve-model.js';
import type { ModelCard, SolveFailure } from './solver/task.js';
import type { ProjectId } from '../projects/project.entity.js';

export type ExecutionStatus = 'queued' | 'running' | 'succeeded' | 'failed' | 'canceled';

/** A running execution whose process is gone stays `running` and is claimed again. */
export const EXECUTION_STEPS = new Steps<ExecutionStatus>({
  queued: ['running', 'canceled'],
  running: ['running', 'succeeded', 'failed', 'canceled'],
  succeeded: [],
  failed: [],
  canceled: [],
});

/** What a solve has found out, as it is stored and answered. */
export interface ExecutionResult extends SolveResult {
  /** Time of reading, solving and explaining. */
  solve_ms: number;
  /** Where the workspace has it, too; null when it could not be written there. */
  file_path: string | null;
  /** Its tables in the workspace, of a model that has an index. */
  table_paths?: string[];
}

export interface ExecutionError {
  code: SolveFailure['code'] | 'interrupted';
  /** A sentence for users. */
  message: string;
}

/** One run of the solver on a project's model. */
@Entity({ name: 'executions' })
export class Execution {
  @PrimaryGeneratedColumn('uuid')
  id!: string;

  @Column('uuid')
  project_id!: ProjectId;

  @Column('text')
  company_id!: string;

  @Column('text', { default: 'queued' })
  status!: ExecutionStatus;

  /** `user:<id>`, `api_key:<id>` or `agent:<turn id>`. */
  @Column('text')
  triggered_by!: string;

  /** Who is charged: a user or an API key. */
  @Column('text', { nullable: true })
  user_id!: string | null;

  @Column('uuid', { nullable: true })
  api_key_id!: string | null;

  @Column('text', { array: true, nullable: true })
  input_file_ids!: string[] | null;

  @Column('boolean', { default: false })
  is_test!: boolean;

  /** The scenario that was solved instead of the canvas as it is; it may be gone. */
  @Column('uuid', { nullable: true })
  scenario_id!: string | null;

  /** Shared by executions that were started together; null of one that was started alone. */
  @Column('uuid', { nullable: true })
  batch_id!: string | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column('integer', { default: 0 })
  attempts!: number;

  /** Counts claims; every write of a worker names the one it holds. */
  @Column('integer', { default: 0 })
  generation!: number;

  /** The process that runs it; null while nobody does. */
  @Column('uuid', { nullable: true })
  owner!: string | null;

  /** While running: when the owner counts as dead. While queued: when the wake-up counts as lost. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true, default: () => "clock_timestamp() + interval '15 s'" })
  due_at!: Date | null;

  /** Start of the present attempt. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  started_at!: Date | null;

  /** Time of attempts that are over. */
  @Column('bigint', { default: 0 })
  spent_ms!: number;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  ended_at!: Date | null;

  /** The cards to solve, until the end; null when a file is solved. */
  @Column('jsonb', { nullable: true, select: false })
  cards!: ModelCard[] | null;

  /** Container of the file to solve, until the end; null when cards are solved. */
  @Column('uuid', { nullable: true })
  inputs_id!: string | null;

  @Column('jsonb', { nullable: true, select: false })
  result!: ExecutionResult | null;

  @Column('jsonb', { nullable: true })
  error!: ExecutionError | null;
}
