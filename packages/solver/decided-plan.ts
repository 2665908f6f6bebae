import type { Stage } from './priorities.js';
import { boundsIn } from './conditional-rows.js';
import type { Model, Variable } from './model.js';
import type { Run } from './run.js';
import { UndecidedError } from './undecided-error.js';

/**
 * Searches the best plan of a stage. In a model with conditional rows, the amounts are then determined once more with all
 * decisions fixed. Otherwise, a decision that is 0 or 1 only within the solver's tolerance could relax a row a little.
 *
 * @throws UndecidedError if the decisions allow no plan
 */
export function* searchStage(stage: Stage): Generator<Stage, Run, Run> {
  const run = yield stage;
  const { model } = stage;
  if (run.values === undefined || !model.rows.some(({ when }) => when !== undefined)) return run;
  const { status, values } = yield { model: withDecisions(model, run.values), start: run.values };
  if (status === 'infeasible')
    throw new UndecidedError(
      'The solver cannot tell which conditions are met. Give the variables in constraints under a condition tighter bounds and solve again',
    );
  if (values === undefined) return run;
  const helpers = run.values.subarray(model.variables.length);
  return { ...run, values: Float64Array.of(...values, ...helpers) };
}

/** Returns the linear program that is left if all decisions of a plan are made. */
function withDecisions(model: Model, values: Float64Array): Model {
  let helper = model.variables.length;
  const decided = Float64Array.from(model.variables, ({ isInteger }, at) =>
    isInteger ? Math.round(values[at]!) : values[at]!,
  );
  const variables = model.variables.map(({ zeroOr, ...variable }, at): Variable => {
    const range = zeroOr === undefined ? undefined : Math.round(values[helper++]!) === 1 ? zeroOr : NOTHING;
    const lower = Math.max(variable.lower, range?.lower ?? -Infinity);
    const upper = Math.min(variable.upper, range?.upper ?? Infinity);
    const value = decided[at]!;
    return variable.isInteger
      ? { ...variable, isInteger: false, lower: value, upper: value }
      : { ...variable, lower, upper };
  });
  const rows = model.rows.map(({ when, ...row }) =>
    when === undefined ? row : { ...row, ...boundsIn({ ...row, when }, decided) },
  );
  return { ...model, variables, rows };
}

const NOTHING = { lower: 0, upper: 0 };
