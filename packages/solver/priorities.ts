import { searchStage } from './decided-plan.js';
import { withExactValues } from './definitions.js';
import type { Goal, Model, Row, StatedObjective } from './model.js';
import { valueOf } from './model.js';
import type { Run } from './run.js';
import { UndecidedError } from './undecided-error.js';
import { reachesBound } from './watch.js';

/** Search for the best plan of a priority. */
export interface Stage {
  /** Number of the priority. Undefined if all objectives have the same priority or do not have priorities. */
  priority?: number;
  /** Model with the goal of the priority. Rows keep the goals of earlier priorities within their tolerances. */
  model: Model;
  /** Values from which the search starts, including the values of helpers. */
  start?: Float64Array;
  /** Maximum distance of integers to the next whole number. */
  integerTolerance?: number;
}

/** Run of the last stage that has been searched, or the combined run of all stages. */
export interface Outcome {
  stage: Stage;
  run: Run;
}

/**
 * Searches the best plan of each priority in turn. Yields each stage, and takes its run. For a model with a single goal, this run
 * is the result, including the prices.
 *
 * @returns the plan with the bound of the first priority, or the run of a stage without a plan
 */
export function* byPriority(model: Model): Generator<Stage, Outcome, Run> {
  const { priorities } = model;
  if (priorities === undefined || priorities.later.length === 0) {
    const stage = { model };
    return { stage, run: yield* searchStage(stage) };
  }
  const [first] = priorities.stated;
  const goals = [{ ...goalOf(model), priority: first?.priority ?? 1 }, ...priorities.later];
  const kept: Row[] = [];
  let best: Run | undefined;
  for (const { priority, ...goal } of goals) {
    const { values: start } = best ?? {};
    const stage: Stage = {
      priority,
      model: { ...model, ...goal, rows: [...model.rows, ...kept] },
      ...(start !== undefined && { start }),
    };
    const run = yield* searchLater(stage, best);
    if (best === undefined && (run.values === undefined || run.status !== 'optimal')) return { stage, run };
    // An earlier plan is feasible here, too. Only the solver's tolerances can make the stage infeasible.
    if (run.status === 'unbounded' || run.status === 'unbounded_or_infeasible') return { stage, run };
    const values = better(model, goal, run.values, start);
    if (values === undefined) return { stage, run };
    const exact = withExactValues(model.variables, values);
    best ??= {
      ...run,
      prices: undefined,
      isBest: reachesBound(goal.constant + valueOf(goal.objective, exact), run.bound, goal.sense),
    };
    best = { ...best, values };
    if (run.status !== 'optimal') return { stage, run: { ...best, status: run.status, unfinished: priority } };
    kept.push(
      keep(
        goal,
        exact,
        priorities.stated.filter((stated) => stated.priority === priority),
        priority,
      ),
    );
  }
  return { stage: { model }, run: best! };
}

/** Searches a stage. If it has no plan with exact decisions, the plan of the stages before it is kept. */
function* searchLater(stage: Stage, best: Run | undefined): Generator<Stage, Run, Run> {
  try {
    return yield* searchStage(stage);
  } catch (error) {
    if (best === undefined || !(error instanceof UndecidedError)) throw error;
    return { ...best, status: 'undecided' };
  }
}

const goalOf = ({ sense, objective, constant }: Model): Goal => ({ sense, objective, constant });

const signOf = ({ sense }: Goal): number => (sense === 'maximize' ? 1 : -1);

/** Returns the values with the better objective. */
function better(
  { variables }: Model,
  goal: Goal,
  one: Float64Array | undefined,
  other: Float64Array | undefined,
): Float64Array | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const [value, otherValue] = [one, other].map((values) => valueOf(goal.objective, withExactValues(variables, values)));
  return signOf(goal) * (value! - otherValue!) >= 0 ? one : other;
}

/** Returns the row that keeps a goal at its value, except for the tolerances of its objectives. */
function keep(goal: Goal, values: Float64Array, stated: readonly StatedObjective[], priority: number): Row {
  const loss = stated.reduce((sum, { weight, tolerance, toleranceShare, figure }) => {
    const value = figure.constant + valueOf(figure.terms, values);
    return sum + weight * (tolerance + toleranceShare * Math.abs(value));
  }, 0);
  const limit = valueOf(goal.objective, values) - signOf(goal) * loss;
  const isMost = goal.sense === 'maximize';
  return {
    name: `priority ${priority}`,
    terms: goal.objective,
    lower: isMost ? limit : -Infinity,
    upper: isMost ? Infinity : limit,
  };
}
