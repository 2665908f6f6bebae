import { invalidValue } from '../common/errors/errors.js';
import { JsonText } from '../common/http/json-text.js';
import { creationPosition } from '../common/listing/cursor.js';
import type { Page } from '../common/listing/page.js';
import { WalkQuery } from '../common/listing/walk.query.js';
import { WalkResponse } from '../common/listing/walk.response.js';
import {
  BooleanField,
  DateTimeField,
  EnumField,
  NumberField,
  ObjectArrayField,
  ObjectField,
  StringArrayField,
  StringField,
} from '../common/validation/fields.js';
import { Rule } from '../common/validation/field.js';
import { RESULT_STATUSES } from '../../packages/solver/index.js';
import { EXECUTION_STATUSES, type ExecutionStatus } from './execution.entity.js';
import type { ExecutionDetail } from './execution-records.service.js';
import type { ExecutionRecord } from './execution-views.repository.js';
import { ModelSizeResponse, SolveErrorResponse, SolveResultResponse } from './results.dto.js';
import { RunProgress } from './runs.dto.js';

const SCENARIO = 'Id of the solved scenario, which may have been deleted; null for the canvas or a model file';

/** Matches a string that contains a non-blank character. */
const WORDS = /\S/;
const optional = { optional: true, nullable: true, extension: true } as const;

/** Request fields that all runs have in common. */
export const RUN_OPTIONS = {
  name: {
    ...optional,
    minLength: 1,
    maxLength: 200,
    pattern: WORDS,
    description: 'Display name of the run',
    example: 'With overtime',
  },
  time_limit_seconds: {
    ...optional,
    minimum: 1,
    description:
      'Time limit in seconds for the solver itself, at most SOLVE_TIME_LIMIT_MAX_SECONDS (600 by default). Default: ' +
      'SOLVE_TIME_LIMIT_SECONDS (60 by default)',
    example: 120,
  },
  mip_gap: {
    ...optional,
    minimum: 0,
    maximum: 1,
    description:
      'Stops when the objective is within this relative distance of the best possible objective. 0.01 is 1 %. ' +
      'Default: 0.',
  },
} as const;

/** Request to start an execution. */
@Rule<ExecutionCreateRequest>(({ scenario_id, input_file_ids, affects_checklist }, received) => {
  if (scenario_id == null) return [];
  const clash = (field: string, text: string) => invalidValue([field], text, received.get(field) ?? null);
  return [
    ...(input_file_ids == null
      ? []
      : [clash('input_file_ids', 'a scenario applies to the canvas, not to a model file')]),
    ...(affects_checklist === true ? [clash('affects_checklist', 'a scenario cannot affect the checklist')] : []),
  ];
})
export class ExecutionCreateRequest {
  @StringArrayField({
    optional: true,
    nullable: true,
    maxItems: 1,
    itemMaxLength: 1_024,
    description:
      'Id or path of a workspace file in CPLEX LP or MPS format, named `*.lp`, `*.mps`, `*.lp.gz` or `*.mps.gz`. ' +
      'Without a file, the canvas is solved. In run mode, the file or canvas comes from the current snapshot',
    example: ['models/plan.lp'],
  })
  input_file_ids?: string[] | null;

  @BooleanField({ default: false, description: 'If true, does not change the project’s `feasibility_result`' })
  is_test!: boolean;

  @StringField(RUN_OPTIONS.name)
  name?: string | null;

  @NumberField(RUN_OPTIONS.time_limit_seconds)
  time_limit_seconds?: number | null;

  @NumberField(RUN_OPTIONS.mip_gap)
  mip_gap?: number | null;

  @StringField({
    optional: true,
    nullable: true,
    extension: true,
    maxLength: 1_024,
    description: 'Solves the canvas with the changes of this scenario, without changing `feasibility_result`',
  })
  scenario_id?: string | null;

  @BooleanField({
    optional: true,
    nullable: true,
    extension: true,
    description:
      'Whether the outcome becomes the project’s `feasibility_result`, unless the input has changed in the ' +
      'meantime. Default: true for the canvas, false for a model file',
  })
  affects_checklist?: boolean | null;
}

/** Page and filter for a project's execution list. */
export class ExecutionListQuery extends WalkQuery {
  @EnumField(EXECUTION_STATUSES, { optional: true, extension: true })
  status?: ExecutionStatus;

  @BooleanField({ optional: true, extension: true })
  is_test?: boolean;

  @StringField({
    optional: true,
    extension: true,
    maxLength: 1_024,
    description: 'Substring of the name, case-insensitive',
  })
  q?: string;

  @StringField({ optional: true, extension: true, maxLength: 1_024, description: 'Only runs of this scenario' })
  scenario_id?: string;
}

/** Options for canceling an execution. */
export class ExecutionCancelQuery {
  @BooleanField({
    optional: true,
    extension: true,
    description:
      'Whether to keep a running execution’s best plan. The execution then succeeds within about a second, ' +
      'with this plan, its bound and its gap. If no plan has been found yet, the execution is canceled.',
  })
  keep_plan?: boolean;
}

/** Solve execution in a project. */
export class ExecutionResponse {
  @StringField()
  id!: string;

  @StringField()
  project_id!: string;

  @StringField({ description: '`queued`, `running`, `succeeded`, `failed` or `canceled`', example: 'succeeded' })
  status!: string;

  @StringField({ description: '`user:<id>`, `api_key:<id>` or `agent:<turn id>`', example: 'user:ada' })
  triggered_by!: string;

  @DateTimeField()
  created_at!: Date;

  @StringArrayField({ optional: true, nullable: true })
  input_file_ids!: string[] | null;

  @BooleanField({ optional: true })
  is_test!: boolean;

  @StringField({ nullable: true, extension: true })
  name!: string | null;

  @StringField({ nullable: true, extension: true, description: SCENARIO })
  scenario_id!: string | null;

  @DateTimeField({ nullable: true, extension: true, description: 'Start of the latest attempt' })
  started_at!: Date | null;

  @DateTimeField({ nullable: true, extension: true })
  ended_at!: Date | null;

  @EnumField(RESULT_STATUSES, {
    nullable: true,
    extension: true,
    description:
      '`status` of the result; null if there is no result. A run that has `succeeded` can be `infeasible` or ' +
      '`unbounded`',
  })
  outcome!: ExecutionRecord['outcome'];

  @NumberField({ nullable: true, extension: true, description: 'Objective of the result; null without a plan' })
  objective_value!: number | null;

  @NumberField({
    nullable: true,
    extension: true,
    description: "Relative gap between the plan's objective and the best bound; null if it cannot be computed",
  })
  gap!: number | null;

  @NumberField({ nullable: true, extension: true, description: 'Credits charged; null until the execution ends' })
  credits!: number | null;

  static from(execution: ExecutionRecord): ExecutionResponse {
    const { id, project_id, status, triggered_by, created_at, input_file_ids, is_test, name, scenario_id } = execution;
    const { started_at, ended_at, outcome, objective_value, gap, credits } = execution;
    return {
      id,
      project_id,
      status,
      triggered_by,
      created_at,
      input_file_ids,
      is_test,
      name,
      scenario_id,
      started_at,
      ended_at,
      outcome,
      objective_value,
      gap,
      credits,
    };
  }
}

/** Solve execution with its outcome. */
export class ExecutionDetailResponse extends ExecutionResponse {
  @StringArrayField({ nullable: true })
  declare input_file_ids: string[] | null;

  @BooleanField()
  declare is_test: boolean;

  @ObjectField(() => SolveResultResponse, { nullable: true, description: 'The result, if the execution succeeded' })
  result!: SolveResultResponse | null;

  @ObjectField(() => SolveErrorResponse, { nullable: true, description: 'The error, if the execution failed' })
  error!: SolveErrorResponse | null;

  @NumberField()
  time_limit_seconds!: number;

  @NumberField()
  mip_gap!: number;

  @BooleanField({ description: 'Whether the outcome becomes the project’s `feasibility_result`' })
  affects_checklist!: boolean;

  @ObjectField(() => ModelSizeResponse, {
    nullable: true,
    description: 'Model size; null until the execution has ended',
  })
  model!: ModelSizeResponse | null;

  @ObjectField(() => RunProgress, { nullable: true, description: 'Null unless the execution is running' })
  progress!: RunProgress | null;

  /** Serializes an execution. The result may be large, so its JSON text is copied from the database without parsing. */
  static json(execution: ExecutionDetail): JsonText {
    const { resultText, error, time_limit_seconds, mip_gap, is_test, model, progress } = execution;
    const affects_checklist = execution.affects_checklist && !is_test;
    const options = { time_limit_seconds, mip_gap, affects_checklist };
    const rest = { ...ExecutionResponse.from(execution), error, ...options, model, progress };
    return new JsonText(`${JSON.stringify(rest).slice(0, -1)},"result":${resultText ?? 'null'}}`);
  }
}

/** Executions in a project, most recent first. */
export class ExecutionListResponse extends WalkResponse {
  @ObjectArrayField(() => ExecutionResponse)
  executions!: ExecutionResponse[];

  static from(page: Page<ExecutionRecord>, query: WalkQuery): ExecutionListResponse {
    const executions = page.rows.map((row) => ExecutionResponse.from(row));
    return { executions, ...creationPosition('executions', page, query) };
  }
}
