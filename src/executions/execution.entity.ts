import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { ExecutionId, ProjectId, ScenarioId } from '../database/checked-id.js';
import { RevisionColumn } from '../database/revision-column.js';
import { Steps } from '../common/leases/steps.js';
import type { ModelSize, SolveResult } from '../../packages/solver/index.js';
import type { ModelCard } from '../../packages/canvas/index.js';

export const EXECUTION_STATUSES = ['queued', 'running', 'succeeded', 'failed', 'canceled'] as const;
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];

/** Status transitions. A running execution whose process has died stays `running` and is claimed again. */
export const EXECUTION_STEPS = new Steps<ExecutionStatus>({
  queued: ['running', 'canceled'],
  running: ['running', 'succeeded', 'failed', 'canceled'],
  succeeded: [],
  failed: [],
  canceled: [],
});

/** Result of a solve, as it is stored and returned by the API. */
export interface ExecutionResult extends SolveResult {
  /** Milliseconds spent on reading, solving and explaining. */
  solve_ms: number;
  /** Path of the result in the workspace. Null if it could not be written there. */
  file_path: string | null;
  /** Paths of the result tables in the workspace, for indexed models. */
  table_paths?: string[];
}

/** Error codes of failed executions, in the order in which the API documents them. */
export const EXECUTION_ERROR_CODES = [
  'invalid_model',
  'incomplete_model',
  'empty_model',
  'model_too_large',
  'time_limit',
  'out_of_memory',
  'solver_failed',
  'interrupted',
  'budget_exhausted',
] as const;

export interface ExecutionError {
  code: (typeof EXECUTION_ERROR_CODES)[number];
  /** One-sentence message for users. */
  message: string;
}

/** Declares a generated column with a value from the result, so that lists do not have to read the result itself. */
const ofResult = (asExpression: string) =>
  ({ nullable: true, generatedType: 'STORED', asExpression, insert: false, update: false }) as const;

/** Run of the solver on a project's model. */
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

  /** User who is charged. If null, the API key `api_key_id` is charged. */
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

  /** Time limit for the solver itself. Null for the configured default. */
  @Column('double precision', { nullable: true })
  time_limit_seconds!: number | null;

  /** Relative gap to the best possible objective at which the solver stops. */
  @Column('double precision', { default: 0 })
  mip_gap!: number;

  /** Whether the outcome becomes the project's `feasibility_result`. Ignored if `is_test` is true. */
  @Column('boolean', { default: true })
  affects_checklist!: boolean;

  /** Solved scenario, which may have been deleted since. Null for the unchanged canvas. */
  @Column('uuid', { nullable: true })
  scenario_id!: ScenarioId | null;

  /** Common id of executions that were started together. Null for an execution that was started alone. */
  @Column('uuid', { nullable: true })
  batch_id!: string | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column('integer', { default: 0 })
  attempts!: number;

  /** Number of times the execution was claimed. Each write by a worker succeeds only if its generation is still current. */
  @Column('integer', { default: 0 })
  generation!: number;

  /** Process that runs the execution. Null if no process has claimed it. */
  @Column('uuid', { nullable: true })
  owner!: string | null;

  /**
   * For a running execution, the expiry of the lease, after which the owner is considered dead. For a queued execution, the
   * time after which the notification to the workers is considered lost.
   */
  @Column({ type: 'timestamptz', precision: 3, nullable: true, default: () => "clock_timestamp() + interval '15 s'" })
  due_at!: Date | null;

  /** Start of the current attempt. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  started_at!: Date | null;

  /** Total duration of earlier attempts. */
  @Column('bigint', { default: 0 })
  spent_ms!: number;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  ended_at!: Date | null;

  /** Solved cards. Null if a file is solved. */
  @Column('jsonb', { nullable: true, select: false })
  cards!: ModelCard[] | null;

  /** Container with the solved file, or with the files that the cards refer to. Null without files. */
  @Column('uuid', { nullable: true })
  inputs_id!: string | null;

  /** Whether a running solve was asked to stop and keep its best plan. */
  @Column('boolean', { default: false })
  keeps_plan!: boolean;

  /** Null until the model has been read. */
  @Column('jsonb', { nullable: true })
  model!: ModelSize | null;

  /** Container with the values of indexed variables. Null for models without such variables. */
  @Column('uuid', { nullable: true })
  outputs_id!: string | null;

  @Column('jsonb', { nullable: true, select: false })
  result!: ExecutionResult | null;

  /** Status in the result. */
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
