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
import { EXECUTION_ERROR_CODES } from './execution.entity.js';
import { RESULT_STATUSES } from '../../packages/solver/index.js';

export class ModelSizeResponse {
  @IntegerField()
  variables!: number;

  @IntegerField({ description: 'Number of integer variables' })
  integer_variables!: number;

  @IntegerField()
  constraints!: number;

  @IntegerField({ description: 'Number of terms in the constraints' })
  terms!: number;

  @IntegerField({
    optional: true,
    description:
      'Number of variables that the solver adds for variables that are 0 or in a range, and for products and functions ' +
      'of variables. Absent for models without them',
  })
  helpers?: number;
}

/** Indexed variable of a result. Its members are listed in one of the result's tables. */
export class SolvedFamilyResponse {
  @StringField()
  name!: string;

  @StringArrayField({ description: 'Names of the parts of a member’s key, in order', example: ['product'] })
  keys!: string[];

  @IntegerField({ description: 'Number of members' })
  size!: number;
}

/** Constraint evaluated at the solution. */
export class SolvedConstraint {
  @StringField()
  name!: string;

  @NumberField({ description: 'Value of the side of the constraint that contains the variables' })
  activity!: number;

  @NumberField({ description: 'Distance to the nearer bound; 0 if binding, negative if violated' })
  slack!: number;

  @NumberField({
    optional: true,
    description: 'Change in the objective per additional unit of the constraint’s limit. Only for linear programs',
  })
  dual?: number;
}

export class SolvedObjective {
  @StringField({ description: 'Label of the objective’s card' })
  label!: string;

  @EnumField(['maximize', 'minimize'])
  sense!: 'maximize' | 'minimize';

  @NumberField({ description: 'Without penalties of soft constraints' })
  value!: number;

  @IntegerField({ description: '1 is the most important' })
  priority!: number;
}

export class SolvedKpi {
  @StringField({ description: 'Label of the KPI’s card' })
  label!: string;

  @NumberField({ nullable: true, description: 'Null if the formula cannot be computed' })
  value!: number | null;

  @StringField({ nullable: true })
  unit!: string | null;

  @NumberField({ nullable: true })
  target!: number | null;
}

export class SolveResultResponse {
  @EnumField(RESULT_STATUSES, {
    description:
      '`time_limit`: the values are feasible and the best found before the search ended early, usually at the time ' +
      'limit; `infeasible` and `unbounded` have no values',
  })
  status!: (typeof RESULT_STATUSES)[number];

  @NumberField({
    nullable: true,
    description:
      'Includes penalties of soft constraints. If objectives have priorities, the value of the first priority',
  })
  objective_value!: number | null;

  @NumberField({
    nullable: true,
    description: 'Best possible objective; null if unknown, or if there are no values',
  })
  bound!: number | null;

  @NumberField({
    nullable: true,
    description:
      'Gap between objective and bound, relative to the objective; null if unknown, or if the objective is 0',
  })
  gap!: number | null;

  @FreeObjectField({
    description: 'Values by variable name. For a variable with an index, the total over its members',
    example: { tables: 10 },
  })
  variables!: Record<string, unknown>;

  @NumberMapField({
    optional: true,
    description:
      'Change in the objective per additional unit of a variable that is at one of its bounds, by variable name. ' +
      'Only for linear programs, and for variables without an index',
    example: { tables: 0 },
  })
  reduced_costs?: Record<string, unknown>;

  @ObjectArrayField(() => SolvedConstraint, {
    description:
      'Constraints, except those whose condition is not met. ' +
      'A constraint with an index is represented by the member with the least slack',
  })
  constraints!: SolvedConstraint[];

  @IntegerField({ description: 'Milliseconds for reading, solving and explaining' })
  solve_ms!: number;

  @StringField({
    nullable: true,
    description: 'Explains why values are missing or may not be optimal; null if they are optimal',
  })
  message!: string | null;

  @StringArrayField({
    description: 'Constraints and bounds that together make the model infeasible',
    example: ['demand', 'tables <= 5'],
  })
  conflict!: string[];

  @ObjectArrayField(() => SolvedObjective, {
    optional: true,
    extension: true,
    description: 'Values of the objectives, most important first. Absent if they have no priorities',
  })
  objectives?: SolvedObjective[];

  @StringArrayField({
    optional: true,
    extension: true,
    description:
      'Sentences about the result, for example why it has no shadow prices. Absent for results without notes',
    example: [
      'There are no shadow prices or reduced costs, because some variables are 0 or in a range, which is a yes-or-no decision.',
    ],
  })
  notes?: string[];

  @StringField({
    nullable: true,
    description: 'Path of this result in the workspace; null if it could not be written',
  })
  file_path!: string | null;

  @StringArrayField({
    optional: true,
    description:
      'Paths of CSV files in the workspace: one per indexed variable with the values of its members, and ' +
      '`constraints.csv`. Only for models with indexed variables',
    example: ['results/6f1c/make.csv', 'results/6f1c/constraints.csv'],
  })
  table_paths?: string[];

  @ObjectArrayField(() => SolvedKpi, {
    optional: true,
    description: 'KPI cards with a formula, and their values in this plan. Absent if the model has no such cards',
  })
  kpis?: SolvedKpi[];

  @ObjectArrayField(() => SolvedFamilyResponse, {
    optional: true,
    description: 'Variables with an index. Absent if the model has no such variables',
  })
  families?: SolvedFamilyResponse[];
}

/** Reason why an execution failed. */
export class SolveErrorResponse {
  @StringField({
    description: `One of ${EXECUTION_ERROR_CODES.map((code) => `\`${code}\``).join(', ')}`,
    example: 'invalid_model',
  })
  code!: string;

  @StringField({ example: 'Line 3, `<=`: a number or the name of a variable is expected here' })
  message!: string;
}
