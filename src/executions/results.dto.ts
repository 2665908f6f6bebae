import {
  EnumField,
  FreeObjectField,
  IntegerField,
  NumberField,
  NumberMapField,
  ObjectArrayField,
  StringArrayField,
  StringField,
} from '../common/validation/fields.js';
import { RESULT_STATUSES } from '../../packages/solver/index.js';

/** Size of a model. */
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

/** Indexed variable, whose members are in a table. */
export class SolvedFamilyResponse {
  @StringField()
  name!: string;

  @StringArrayField({ description: 'What the parts of a member are called', example: ['product'] })
  keys!: string[];

  @IntegerField({ description: 'How many members there are' })
  size!: number;
}

/** Constraint evaluated at the solution. */
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

/** KPI of a plan. */
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

/** Result of a solve. */
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

/** Reason why an execution failed. */
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
