import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { ExecutionId, ProjectId, ScenarioId } from '../database/checked-id.js';
import { RevisionColumn } from '../database/revision-column.js';
import { Steps } from '../common/leases/steps.js';
import type { ModelSize, SolveResult } from '../../packages/solver/index.js';
import type { ModelCard } from '../../packages/canvas/index.js';
import type { SolveFailure } from './solver/task.js';

export const EXECUTION_STATUSES = ['queued', 'running', 'succeeded', 'failed', 'canceled'] as const;
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];

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
  code: SolveFailure['code'] | 'interrupted' | 'budget_exhausted';
  /** A sentence for users. */
  message: string;
}

/** A column that the database derives from the result, so that lists do not read the result. */
const ofResult = (asExpression: string) =>
  ({ nullable: true, generatedType: 'STORED', asExpression, insert: false, update: false }) as const;

/** One run of the solver on a project's model. */
@Entity({ name: 'executions' })
export class Execution {
  @PrimaryGeneratedColumn('uuid')
  id!: ExecutionId;

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

  @Column('text', { nullable: true })
  name!: string | null;

  /** For the solver's own work; null: as the service is set. */
  @Column('double precision', { nullable: true })
  time_limit_seconds!: number | null;

  /** How far from the best possible objective, relatively, a plan may be that ends the search. */
  @Column('double precision', { default: 0 })
  mip_gap!: number;

  /** Whether the outcome becomes the project's `feasibility_result`, unless this is a test. */
  @Column('boolean', { default: true })
  affects_checklist!: boolean;

  /** The scenario that was solved instead of the canvas as it is; it may be gone. */
  @Column('uuid', { nullable: true })
  scenario_id!: ScenarioId | null;

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

  /** The cards that are solved; null when a file is. */
  @Column('jsonb', { nullable: true, select: false })
  cards!: ModelCard[] | null;

  /** Container of the file that is solved, or of the files that the cards name; null when they name none. */
  @Column('uuid', { nullable: true })
  inputs_id!: string | null;

  /** Whether a running solve is asked to end and to keep its best plan. */
  @Column('boolean', { default: false })
  keeps_plan!: boolean;

  /** Known once the model was read. */
  @Column('jsonb', { nullable: true })
  model!: ModelSize | null;

  /** Container of the values of what has an index; null when there are none. */
  @Column('uuid', { nullable: true })
  outputs_id!: string | null;

  @Column('jsonb', { nullable: true, select: false })
  result!: ExecutionResult | null;

  /** Status of the result. */
  @Column({ type: 'text', ...ofResult("result ->> 'status'") })
  outcome!: ExecutionResult['status'] | null;

  @Column({ type: 'double precision', ...ofResult("(result ->> 'objective_value')::double precision") })
  objective_value!: number | null;

  @Column({ type: 'double precision', ...ofResult("(result ->> 'gap')::double precision") })
  gap!: number | null;

  @Column('jsonb', { nullable: true })
  error!: ExecutionError | null;

  @RevisionColumn()
  revision!: string;
}
