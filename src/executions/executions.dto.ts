import { invalidValue } from '../platform/errors/errors.js';
import { JsonText } from '../platform/http/json-text.js';
import { PageQuery } from '../platform/listing/page.query.js';
import { PageResponse } from '../platform/listing/page.response.js';
import {
  BooleanField,
  DateTimeField,
  EnumField,
  FreeObjectField,
  IntegerField,
  NumberField,
  NumberMapField,
  ObjectArrayField,
  ObjectField,
  StringArrayField,
  StringField,
} from '../platform/validation/fields.js';
import { Rule } from '../platform/validation/rule.js';
import { EXECUTION_STATUSES, type ExecutionStatus } from './execution.entity.js';
import { type Phase, PHASES } from './execution-log.entity.js';
import type { ExecutionDetail } from './executions.service.js';
import type { ExecutionRecord } from './executions.repository.js';
import { RESULT_STATUSES } from './solver/solve-model.js';

const SCENARIO = 'Scenario that was solved, which may be deleted by now; null if it was the canvas or a model file';

/** Something else than blanks. */
const WORDS = /\S/;
const optional = { optional: true, nullable: true, extension: true } as const;

/** What every run can be given. */
export const RUN_OPTIONS = {
  name: {
    ...optional,
    minLength: 1,
    maxLength: 200,
    pattern: WORDS,
    description: 'What people call the run',
    example: 'With overtime',
  },
  time_limit_seconds: {
    ...optional,
    minimum: 1,
    description:
      'For the solver’s own work, at most SOLVE_TIME_LIMIT_MAX_SECONDS (600 by default). Absent: ' +
      'SOLVE_TIME_LIMIT_SECONDS (60 by default)',
    example: 120,
  },
  mip_gap: {
    ...optional,
    minimum: 0,
    maximum: 1,
    description:
      'The search ends with a plan that is so near to the best possible one, relative to its objective: 0.01 is 1 %. Absent: 0',
  },
} as const;

/** What to solve. */
@Rule<ExecutionCreateRequest>(({ scenario_id, input_file_ids, affects_checklist }, received) => {
  if (scenario_id == null) return [];
  const clash = (field: string, text: string) => invalidValue([field], text, received.get(field) ?? null);
  return [
    ...(input_file_ids == null ? [] : [clash('input_file_ids', 'a scenario changes the canvas, not a model file')]),
    ...(affects_checklist === true
      ? [clash('affects_checklist', 'what a scenario comes to says nothing of the canvas')]
      : []),
  ];
})
export class ExecutionCreateRequest {
  @StringArrayField({
    optional: true,
    nullable: true,
    maxItems: 1,
    itemMaxLength: 1_024,
    description:
      'Id or path of a workspace file in CPLEX LP format, named `*.lp`. Without one, the canvas is solved. In run ' +
      'mode, both come from the current snapshot',
    example: ['models/plan.lp'],
  })
  input_file_ids?: string[] | null;

  @BooleanField({ default: false, description: 'If true, the project’s `feasibility_result` is unchanged' })
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
    description: 'Solves the canvas with the changes of a scenario, which leaves `feasibility_result` alone',
  })
  scenario_id?: string | null;

  @BooleanField({
    optional: true,
    nullable: true,
    extension: true,
    description:
      'Whether the outcome becomes the project’s `feasibility_result`, as long as what was solved has not changed ' +
      'meanwhile. Absent: true for the canvas, false for a model file',
  })
  affects_checklist?: boolean | null;
}

/** Page and filter of the executions of a project. */
export class ExecutionListQuery extends PageQuery {
  @EnumField(EXECUTION_STATUSES, { optional: true, extension: true })
  status?: ExecutionStatus;

  @BooleanField({ optional: true, extension: true })
  is_test?: boolean;

  @StringField({ optional: true, extension: true, maxLength: 1_024, description: 'Part of the name, case-insensitive' })
  q?: string;

  @StringField({ optional: true, extension: true, maxLength: 1_024, description: 'Runs of this scenario alone' })
  scenario_id?: string;
}

/** A variable of a run, and which of its values are wanted. */
export class RunValuesQuery extends PageQuery {
  @StringField({ maxLength: 1_024, description: 'Name of a variable', example: 'make' })
  family!: string;

  @BooleanField({ default: false, description: 'Leaves out the zeros' })
  nonzero!: boolean;
}

/** The value of a variable, or of a member of one that has an index. */
export class RunValue {
  @StringArrayField({ description: 'The parts of the member; none of a variable without an index' })
  keys!: string[];

  @NumberField()
  value!: number;

  @NumberField({
    nullable: true,
    description:
      'How the objective changes for each unit more, where a bound keeps the variable from it. Of linear programs, else null',
  })
  reduced_cost!: number | null;
}

/** Values of a variable, in the order of its set. */
export class RunValuesResponse extends PageResponse {
  @ObjectArrayField(() => RunValue)
  values!: RunValue[];
}

/** A card as a run has solved it. */
export class RunCard {
  @StringField()
  id!: string;

  @StringField()
  card_type!: string;

  @StringField()
  label!: string;

  @FreeObjectField()
  data!: Record<string, unknown>;
}

/** What a run has solved. */
export class RunCardsResponse {
  @ObjectArrayField(() => RunCard, {
    nullable: true,
    description: 'Those that make the model or rate it; null if a model file was solved, or if they were not kept',
  })
  cards!: RunCard[] | null;
}

/** The log of a run. */
export class RunLogResponse {
  @StringArrayField({ description: 'The last 200 lines' })
  lines!: string[];
}

/** How far a run is. */
export class RunProgress {
  @EnumField(PHASES)
  phase!: Phase;

  @NumberField({ description: 'Since the attempt began' })
  seconds!: number;

  @NumberField({ nullable: true, description: 'Objective of the best plan so far' })
  incumbent!: number | null;

  @NumberField({ nullable: true, description: 'What no plan can be better than' })
  bound!: number | null;

  @NumberField({ nullable: true, description: 'Distance between both, relative to the incumbent' })
  gap!: number | null;

  @IntegerField({ description: 'Branchings that were looked at' })
  nodes!: number;
}

/** How large a model is. */
export class ModelSizeResponse {
  @IntegerField()
  variables!: number;

  @IntegerField({ description: 'Those of them that are whole' })
  integer_variables!: number;

  @IntegerField()
  constraints!: number;

  @IntegerField({ description: 'Of the constraints' })
  terms!: number;
}

/** A variable with an index, of whose members there is a table. */
export class SolvedFamilyResponse {
  @StringField()
  name!: string;

  @StringArrayField({ description: 'What the parts of a member are called', example: ['product'] })
  keys!: string[];

  @IntegerField({ description: 'How many members there are' })
  size!: number;
}

/** A solve execution of a project. */
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

  static from({
    id,
    project_id,
    status,
    triggered_by,
    created_at,
    input_file_ids,
    is_test,
  }: ExecutionRecord): ExecutionResponse {
    return { id, project_id, status, triggered_by, created_at, input_file_ids, is_test };
  }
}

/** A constraint evaluated at the solution. */
export class SolvedConstraint {
  @StringField()
  name!: string;

  @NumberField({ description: 'Value of the side with the variables' })
  activity!: number;

  @NumberField({ description: 'Distance to the nearer bound; 0 if binding, negative if violated' })
  slack!: number;

  @NumberField({
    optional: true,
    description:
      'How the objective changes for each unit more of what bounds the constraint. Of linear programs, else absent',
  })
  dual?: number;
}

/** A key figure of a plan. */
export class SolvedKpi {
  @StringField({ description: 'Of its card' })
  label!: string;

  @NumberField({ nullable: true, description: 'Null if its formula cannot be computed' })
  value!: number | null;

  @StringField({ nullable: true })
  unit!: string | null;

  @NumberField({ nullable: true })
  target!: number | null;
}

/** What a solve has found out. */
export class SolveResultResponse {
  @EnumField(RESULT_STATUSES, {
    description:
      '`time_limit`: the values are feasible and the best found in time; `infeasible` and `unbounded` have no ' +
      'values',
  })
  status!: (typeof RESULT_STATUSES)[number];

  @NumberField({ nullable: true, description: 'Includes penalties of soft constraints' })
  objective_value!: number | null;

  @NumberField({ nullable: true, description: 'What no plan can be better than; null if unknown, or without values' })
  bound!: number | null;

  @NumberField({
    nullable: true,
    description:
      'Distance between objective and bound, relative to the objective; null if unknown, or if the objective is 0',
  })
  gap!: number | null;

  @FreeObjectField({
    description: 'Values by variable name; the total of a variable with an index',
    example: { tables: 10 },
  })
  variables!: Record<string, unknown>;

  @NumberMapField({
    optional: true,
    description:
      'By name of a variable without an index: how the objective changes for each unit more of it, where a bound keeps it ' +
      'from that. Of linear programs, else absent',
    example: { tables: 0 },
  })
  reduced_costs?: Record<string, unknown>;

  @ObjectArrayField(() => SolvedConstraint, {
    description: 'Of a constraint with an index the member that has the least slack',
  })
  constraints!: SolvedConstraint[];

  @IntegerField({ description: 'Milliseconds for reading, solving and explaining' })
  solve_ms!: number;

  @StringField({ nullable: true, description: 'Why there are no values, or how good they are; null if optimal' })
  message!: string | null;

  @StringArrayField({
    description: 'Constraints and bounds that make the model infeasible together',
    example: ['demand', 'tables <= 5'],
  })
  conflict!: string[];

  @StringField({
    nullable: true,
    description: 'Path of this result in the workspace; null if it could not be put there',
  })
  file_path!: string | null;

  @StringArrayField({
    optional: true,
    description:
      'CSV files in the workspace, of a model that has an index: the members of each variable with their values, and ' +
      '`constraints.csv`. Absent of other models',
    example: ['results/6f1c/make.csv', 'results/6f1c/constraints.csv'],
  })
  table_paths?: string[];

  @ObjectArrayField(() => SolvedKpi, {
    optional: true,
    description: 'The KPI cards with a formula, computed for the plan. Absent where there are none',
  })
  kpis?: SolvedKpi[];

  @ObjectArrayField(() => SolvedFamilyResponse, {
    optional: true,
    description: 'The variables that have an index. Absent where there are none',
  })
  families?: SolvedFamilyResponse[];
}

/** Why an execution failed. */
export class SolveErrorResponse {
  @StringField({
    description:
      '`invalid_model`, `incomplete_model`, `empty_model`, `model_too_large`, `time_limit`, `out_of_memory`, `solver_failed` or `interrupted`',
    example: 'invalid_model',
  })
  code!: string;

  @StringField({ example: 'Line 3, `<=`: a number or the name of a variable is expected here' })
  message!: string;
}

/** A solve execution with its outcome. */
export class ExecutionDetailResponse {
  @StringField()
  id!: string;

  @StringField()
  project_id!: string;

  @StringField({
    description:
      '`queued`, `running`, `succeeded`, `failed` or `canceled`; `succeeded` also if the model has no solution',
    example: 'succeeded',
  })
  status!: string;

  @StringField({ description: '`user:<id>`, `api_key:<id>` or `agent:<turn id>`', example: 'user:ada' })
  triggered_by!: string;

  @DateTimeField()
  created_at!: Date;

  @StringArrayField({ nullable: true })
  input_file_ids!: string[] | null;

  @BooleanField()
  is_test!: boolean;

  @ObjectField(() => SolveResultResponse, { nullable: true, description: 'The result, if it succeeded' })
  result!: SolveResultResponse | null;

  @ObjectField(() => SolveErrorResponse, { nullable: true, description: 'The error, if it failed' })
  error!: SolveErrorResponse | null;

  @StringField({ nullable: true })
  name!: string | null;

  @StringField({ nullable: true, description: SCENARIO })
  scenario_id!: string | null;

  @NumberField()
  time_limit_seconds!: number;

  @NumberField()
  mip_gap!: number;

  @BooleanField({ description: 'Whether the outcome becomes the project’s `feasibility_result`' })
  affects_checklist!: boolean;

  @DateTimeField({ nullable: true, description: 'Of the latest attempt' })
  started_at!: Date | null;

  @DateTimeField({ nullable: true })
  ended_at!: Date | null;

  @NumberField({ nullable: true, description: 'What it has cost; null until it is over' })
  credits!: number | null;

  @ObjectField(() => ModelSizeResponse, { nullable: true, description: 'Of the model, known once it is over' })
  model!: ModelSizeResponse | null;

  @ObjectField(() => RunProgress, { nullable: true, description: 'While it runs' })
  progress!: RunProgress | null;

  /** The result, which may be large, goes out as the database has it. */
  static from(execution: ExecutionDetail): JsonText {
    const { resultText, error, name, scenario_id, time_limit_seconds, mip_gap, is_test, started_at, ended_at } =
      execution;
    const { credits, model, progress } = execution;
    const affects_checklist = execution.affects_checklist && !is_test;
    const options = { name, scenario_id, time_limit_seconds, mip_gap, affects_checklist };
    const run = { started_at, ended_at, credits, model, progress };
    const rest = { ...ExecutionResponse.from(execution), error, ...options, ...run };
    return new JsonText(`${JSON.stringify(rest).slice(0, -1)},"result":${resultText ?? 'null'}}`);
  }
}

/** An execution that was started for a scenario, or beside others for the canvas as it is. */
export class ScenarioExecutionResponse extends ExecutionResponse {
  @StringField({ nullable: true, description: SCENARIO })
  scenario_id!: string | null;

  static override from(execution: ExecutionRecord): ScenarioExecutionResponse {
    return { ...ExecutionResponse.from(execution), scenario_id: execution.scenario_id };
  }
}

/** Executions of a project, most recent first. */
export class ExecutionListResponse extends PageResponse {
  @ObjectArrayField(() => ExecutionResponse)
  executions!: ExecutionResponse[];
}
