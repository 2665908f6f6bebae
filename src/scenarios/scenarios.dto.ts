import { MAX_FORMULA_LENGTH } from '../../packages/modelling/index.js';
import { ExecutionResponse, RUN_OPTIONS } from '../executions/executions.dto.js';
import type { ExecutionRecord } from '../executions/execution-views.repository.js';
import { Tagged } from '../common/etag/tagged.js';
import { invalidValue } from '../common/errors/errors.js';
import type { Page } from '../common/listing/page.js';
import { nextPage } from '../common/listing/cursor.js';
import type { WalkQuery } from '../common/listing/walk.query.js';
import { WalkResponse } from '../common/listing/walk.response.js';
import {
  BooleanField,
  DateTimeField,
  EnumField,
  NumberField,
  ObjectArrayField,
  StringArrayField,
  StringField,
  TextOrNumberArrayField,
  TextOrNumberField,
} from '../common/validation/fields.js';
import { Rule } from '../common/validation/field.js';
import {
  type Change,
  CHANGE_KINDS,
  MAX_CHANGES,
  MAX_SCENARIO_NAME_LENGTH,
  problemOfForm,
} from '../../packages/canvas/index.js';
import { MAX_SCENARIOS, type Scenario, scenarioTag } from './scenario.entity.js';

/** Maximum length of a target, a key part and a path. */
const MAX_TEXT = 1_024;
/** Maximum number of parts in a key. */
const MAX_PARTS = 5;
/** Maximum size of a scenario's changes, in bytes of JSON. */
const MAX_BYTES = 64 * 1024;

const description = { nullable: true, optional: true, maxLength: 20_000 };

/** Returns the reason why changes are too large for a scenario, as a phrase without a full stop. */
export const changesProblem = (changes: readonly Change[]): string | undefined =>
  Buffer.byteLength(JSON.stringify(changes)) > MAX_BYTES
    ? `the JSON text must have at most ${MAX_BYTES} bytes`
    : undefined;

/** Single change to the canvas. */
@Rule<ScenarioChange>((change, received) => {
  const formProblem = problemOfForm(change);
  if (formProblem === undefined) return [];
  const { field, problem } = formProblem;
  return [
    invalidValue(
      field === undefined ? [] : [field],
      problem,
      field === undefined ? received : (received.get(field) ?? null),
    ),
  ];
})
export class ScenarioChange {
  @EnumField(CHANGE_KINDS, {
    description:
      '`value`: changes a value on a data card. `bound`: changes a bound of a variable. `limit`: changes the ' +
      'constant side of a constraint. `column`: changes the numbers in a column, for all members or only for ' +
      'members that match `where`. `cell`: changes the number of a single member. `add`: adds a hard constraint. ' +
      '`off`: ignores a card. `file`: reads a set from another file, before all other changes are applied',
    example: 'column',
  })
  kind!: (typeof CHANGE_KINDS)[number];

  @StringField({
    minLength: 1,
    maxLength: MAX_TEXT,
    description:
      '`value`, `column` and `cell`: name of the value or column. `bound`: `x.lower` or `x.upper` of a variable. ' +
      '`limit` and `off`: label or id of the card. `add`: the relation to add. `file`: name of the set',
    example: 'hours',
  })
  target!: string;

  @StringField({
    optional: true,
    minLength: 1,
    maxLength: MAX_FORMULA_LENGTH,
    description:
      'Only for `column`: condition that selects the members. Refer to the set’s columns and key columns by name, ' +
      'without an index',
    example: 'region = "north" and price > 10',
  })
  where?: string;

  @TextOrNumberArrayField({
    optional: true,
    maxItems: MAX_PARTS,
    maxLength: MAX_TEXT,
    description: 'Only for `cell`: key of the changed member, with a part for each key column',
    example: ['oak chair'],
  })
  key?: (string | number)[];

  @NumberField({ optional: true, description: 'Factor to multiply the number by', example: 1.5 })
  times?: number;

  @NumberField({ optional: true, description: 'Amount to add to the number', example: 10 })
  plus?: number;

  @TextOrNumberField({
    optional: true,
    maxLength: MAX_TEXT,
    description: 'New number; for `file`, the path of the other file',
    example: 300,
  })
  to?: number | string;

  static from({ kind, target, where, key, times, plus, to }: Change): ScenarioChange {
    return {
      kind,
      target,
      ...(where !== undefined && { where }),
      ...(key !== undefined && { key }),
      ...(times !== undefined && { times }),
      ...(plus !== undefined && { plus }),
      ...(to !== undefined && { to }),
    };
  }
}

const changes = {
  maxItems: MAX_CHANGES,
  check: changesProblem,
  description: `At most ${MAX_CHANGES}, applied in array order`,
};
const name = {
  minLength: 1,
  maxLength: MAX_SCENARIO_NAME_LENGTH,
  description: 'Unique in the project',
  example: 'Two shifts',
};

export class ScenarioCreateRequest {
  @StringField(name)
  name!: string;

  @StringField(description)
  description?: string | null;

  @ObjectArrayField(() => ScenarioChange, changes)
  changes!: ScenarioChange[];
}

/** Change to a scenario. Absent fields are unchanged. */
export class ScenarioUpdateRequest {
  @StringField({ ...name, optional: true })
  name?: string;

  @StringField(description)
  description?: string | null;

  @ObjectArrayField(() => ScenarioChange, { ...changes, optional: true })
  changes?: ScenarioChange[];
}

/** Named set of changes to a project's canvas. */
export class ScenarioResponse {
  @StringField()
  id!: string;

  @StringField()
  project_id!: string;

  @StringField({ example: 'Two shifts' })
  name!: string;

  @StringField({ nullable: true })
  description!: string | null;

  @ObjectArrayField(() => ScenarioChange)
  changes!: ScenarioChange[];

  @DateTimeField()
  created_at!: Date;

  @DateTimeField()
  updated_at!: Date;

  static tagged(scenario: Scenario): Tagged<ScenarioResponse> {
    return Tagged.of(scenarioTag(scenario), ScenarioResponse.from(scenario));
  }

  static from(scenario: Scenario): ScenarioResponse {
    const { id, project_id, name, description, created_at, updated_at } = scenario;
    const changes = scenario.changes.map((change) => ScenarioChange.from(change));
    return { id, project_id, name, description, changes, created_at, updated_at };
  }
}

/** Scenarios in a project, newest first. */
export class ScenarioListResponse extends WalkResponse {
  @ObjectArrayField(() => ScenarioResponse)
  scenarios!: ScenarioResponse[];

  static from({ rows, total }: Page<Scenario>, query: WalkQuery): ScenarioListResponse {
    const { limit, offset } = query;
    const next = nextPage(
      'scenarios',
      query,
      rows.map((row) => row.id),
    );
    return { scenarios: rows.map((row) => ScenarioResponse.from(row)), limit, offset, total, ...next };
  }
}

export class ScenarioSolveRequest {
  @StringArrayField({
    maxItems: MAX_SCENARIOS,
    itemMaxLength: MAX_TEXT,
    check: (ids) => (ids.length === 0 ? 'at least one scenario is required' : undefined),
    description: 'Ids of the scenarios, without duplicates',
  })
  scenario_ids!: string[];

  @BooleanField({ default: false, description: 'Whether to also solve the unchanged canvas' })
  include_base!: boolean;

  @BooleanField({
    default: false,
    description: 'If true, the run of the canvas does not change `feasibility_result`. Scenarios never change it',
  })
  is_test!: boolean;

  @StringField({
    ...RUN_OPTIONS.name,
    description: 'Display name of the runs. Default: the names of the scenarios',
  })
  name?: string | null;

  @NumberField(RUN_OPTIONS.time_limit_seconds)
  time_limit_seconds?: number | null;

  @NumberField(RUN_OPTIONS.mip_gap)
  mip_gap?: number | null;
}

/** Started executions. The execution of the unchanged canvas comes first, and the others follow in the order of the request. */
export class ScenarioSolveResponse {
  @ObjectArrayField(() => ExecutionResponse)
  executions!: ExecutionResponse[];

  static from(executions: ExecutionRecord[]): ScenarioSolveResponse {
    return { executions: executions.map((execution) => ExecutionResponse.from(execution)) };
  }
}
