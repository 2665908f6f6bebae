import type { Stage } from './priorities.js';
import { isAccurate, isInForce } from './conditional-rows.js';
import { matchesDefinitions, withDecidedDefinition, withDefinedValues } from './definitions.js';
import { type Model, valueOf, type Variable } from './model.js';
import type { Run } from './run.js';
import { UndecidedError } from './undecided-error.js';

/** Tolerance for integers of the second search. */
const TIGHT_TOLERANCE = 1e-9;
/** Maximum difference between objectives that count as equal, relative to their size. */
const OBJECTIVE_TOLERANCE = 1e-6;

/**
 * Searches the best plan of a stage. A decision that is 0 or 1 only within the solver's tolerance can relax a row a little.
 * The amounts are then determined once more with all decisions fixed. If they become worse, the search is repeated with
 * a tighter tolerance.
 *
 * @throws UndecidedError if no plan with exact decisions is found
 */
export function* searchStage(stage: Stage): Generator<Stage, Run, Run> {
  const { model } = stage;
  const run = yield stage;
  if (run.values === undefined) return run;
  if (isAccurate(model, run.values) && matchesDefinitions(model.variables, run.values)) return run;
  const first = yield* withExactDecisions(stage, run);
  if (first !== undefined && !isBetter(model, run, first)) return first;
  const again = yield { ...stage, integerTolerance: TIGHT_TOLERANCE };
  const second = yield* withExactDecisions(stage, again);
  const best = first !== undefined && (second === undefined || isBetter(model, first, second)) ? first : second;
  if (best === undefined)
    throw new UndecidedError(
      'The solver cannot tell which yes-or-no decisions a plan makes. Give the variables in conditions, products and functions tighter bounds and solve again',
    );
  return best;
}

/** Whether a run has a better objective than another run, by more than the tolerance. */
function isBetter({ sense, objective }: Model, one: Run, other: Run): boolean {
  const [value, otherValue] = [valueOf(objective, one.values!), valueOf(objective, other.values!)];
  const difference = sense === 'maximize' ? value - otherValue : otherValue - value;
  return difference > OBJECTIVE_TOLERANCE * Math.max(1, Math.abs(value));
}

/**
 * Determines the amounts of a run once more, with all decisions fixed. Returns the run itself if the time limit does not allow
 * this, and undefined if the decisions do not allow a plan.
 */
function* withExactDecisions({ model }: Stage, run: Run): Generator<Stage, Run | undefined, Run> {
  if (run.values === undefined) return undefined;
  const { status, values } = yield { model: withFixedDecisions(model, run.values), start: run.values };
  if (status === 'infeasible') return undefined;
  if (values === undefined) return run;
  const exact = run.values.slice();
  exact.set(values);
  return { ...run, values: exact };
}

/** Returns the linear program that is left if all decisions of a plan are made. */
function withFixedDecisions(model: Model, values: Float64Array): Model {
  let helper = model.variables.length;
  const rounded = Float64Array.from(model.variables, ({ isInteger }, at) =>
    isInteger ? Math.round(values[at]!) : values[at]!,
  );
  const decided = withDefinedValues(model.variables, rounded);
  const variables = model.variables.map(({ zeroOr, ...all }, at): Variable => {
    const variable = withDecidedDefinition(all, values);
    const range = zeroOr === undefined ? undefined : Math.round(values[helper++]!) === 1 ? zeroOr : NOTHING;
    const lower = Math.max(variable.lower, range?.lower ?? -Infinity);
    const upper = Math.min(variable.upper, range?.upper ?? Infinity);
    const value = decided[at]!;
    return variable.isInteger
      ? { ...variable, isInteger: false, lower: value, upper: value }
      : { ...variable, lower, upper };
  });
  const rows = model.rows.map((row) => {
    const { when, ...rest } = row;
    return when === undefined || isInForce(row, decided) ? rest : { ...rest, lower: -Infinity, upper: Infinity };
  });
  return { ...model, variables, rows };
}

const NOTHING = { lower: 0, upper: 0 };
