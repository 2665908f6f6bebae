import { PageResponse } from '../platform/listing/page.response.js';
import {
  BooleanField,
  DateTimeField,
  EnumField,
  FreeObjectField,
  IntegerField,
  NumberField,
  ObjectArrayField,
  ObjectField,
  StringArrayField,
  StringField,
} from '../platform/validation/fields.js';
import type { Execution } from './execution.entity.js';
import { RESULT_STATUSES } from './solver/solve-model.js';

const SCENARIO = 'Scenario that was solved, which may be deleted by now; null if it was the canvas or a model file';

/** What to solve. */
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

  @StringField({ optional: true, nullable: true, extension: true, description: SCENARIO })
  scenario_id!: string | null;

  static from({
    id,
    project_id,
    status,
    triggered_by,
    created_at,
    input_file_ids,
    is_test,
    scenario_id,
  }: Execution): ExecutionResponse {
    return { id, project_id, status, triggered_by, created_at, input_file_ids, is_test, scenario_id };
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

  @FreeObjectField({
    description: 'Values by variable name; the total of a variable with an index',
    example: { tables: 10 },
  })
  variables!: Record<string, unknown>;

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

  @StringField({ nullable: true, description: SCENARIO })
  scenario_id!: string | null;

  @ObjectField(() => SolveResultResponse, { nullable: true, description: 'The result, if it succeeded' })
  result!: SolveResultResponse | null;

  @ObjectField(() => SolveErrorResponse, { nullable: true, description: 'The error, if it failed' })
  error!: SolveErrorResponse | null;

  static from(execution: Execution): ExecutionDetailResponse {
    const { result, error } = execution;
    return { ...ExecutionResponse.from(execution), result, error };
  }
}

/** Executions of a project, most recent first. */
export class ExecutionListResponse extends PageResponse {
  @ObjectArrayField(() => ExecutionResponse)
  executions!: ExecutionResponse[];
}
