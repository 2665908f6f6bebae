import { type Model, valueOf, type Variable } from '../model/model.js';
import { clashAtFirstSight, explainInfeasible, explainUnbounded, hasValues } from './explanations.js';
import { type Highs, toModelData } from './highs.js';
import type { Plan } from './result-tables.js';
import { runWithin } from './run.js';

export const RESULT_STATUSES = ['optimal', 'time_limit', 'infeasible', 'unbounded'] as const;

/** What a solve has found out. */
export interface SolveResult {
  /** `time_limit`: the values are the best that were found in time. */
  status: (typeof RESULT_STATUSES)[number];
  /** Null when there are no values. */
  objective_value: number | null;
  /** Of families their totals. */
  variables: Record<string, number>;
  /** Of families the member with the least slack. The slack is the distance to the nearer bound: 0 where the constraint binds, negative where it is broken. */
  constraints: { name: string; activity: number; slack: number }[];
  /** Why there are no values, or how good they are; null for an optimum. */
  message: string | null;
  /** Constraints and bounds that cannot hold together. */
  conflict: string[];
  /** Of plans, where there are any. */
  kpis?: SolvedKpi[];
}

/** A key figure of a plan. */
export interface SolvedKpi {
  label: string;
  /** Null where its formula cannot be computed. */
  value: number | null;
  unit: string | null;
  target: number | null;
}

/** No values were found in time. */
export class TimeLimitReached extends Error {}

/** The solver cannot tell an infeasible model from an unbounded one here. */
export class Undecided extends Error {}

/** Time for finding out what makes a model infeasible or unbounded, beside the time of the solve. */
const EXPLAINING_SECONDS = 10;

/**
 * Solves a model. Blocks the thread for `seconds` and what an explanation takes.
 *
 * @throws TimeLimitReached @throws Undecided
 */
export function solveModel(highs: Highs, model: Model, seconds: number): SolveResult & { plan?: Plan } {
  const data = toModelData(highs, model);
  const { modelStatus } = highs.constants;
  const broken = clashAtFirstSight(model);
  if (broken !== undefined) return without('infeasible', broken.message, broken.conflict);
  const { status, values, gap } = runWithin(highs, data, seconds);
  if (status === modelStatus.optimal && values !== undefined) return withValues(model, 'optimal', values, null);
  if (status === modelStatus.timeLimit && values !== undefined) {
    const quality = Number.isFinite(gap) ? `, at most ${(100 * gap).toPrecision(2)} % from the best possible` : '';
    return withValues(model, 'time_limit', values, `The best values found in ${seconds} s${quality}`);
  }
  if (status === modelStatus.timeLimit) throw new TimeLimitReached();
  const deadline = performance.now() + EXPLAINING_SECONDS * 1000;
  const isEither = status === modelStatus.unboundedOrInfeasible;
  // The solver calls some unbounded models infeasible as long as they have an objective.
  const isFeasible = status === modelStatus.unbounded ? true : hasValues(highs, data, deadline);
  if (isFeasible !== true && (status === modelStatus.infeasible || isFeasible === false)) {
    const { message, conflict } = explainInfeasible(highs, model, data, deadline);
    return without('infeasible', message, conflict);
  }
  if (isFeasible === true && (isEither || status === modelStatus.infeasible || status === modelStatus.unbounded)) {
    return without('unbounded', explainUnbounded(highs, model, data, deadline), []);
  }
  if (isEither) throw new Undecided();
  throw new Error(`The solver ended with status ${status}`);
}

function without(status: SolveResult['status'], message: string, conflict: string[]): SolveResult {
  return { status, objective_value: null, variables: {}, constraints: [], message, conflict };
}

function withValues(
  model: Model,
  status: SolveResult['status'],
  found: Float64Array,
  message: string | null,
): SolveResult & { plan: Plan } {
  const { objective, constant, variables } = model;
  const values = found.map((value, index) => exact(value, variables[index]));
  const plan = planOf(model, values);
  return {
    status,
    objective_value: positiveZero(constant + valueOf(objective, values)),
    variables: valuesByName(model, plan),
    constraints: constraintsOf(model, plan),
    message,
    conflict: [],
    ...(model.kpis.length > 0 && { kpis: kpisOf(model, plan) }),
    plan,
  };
}

function kpisOf({ kpis }: Model, { values }: Plan): SolvedKpi[] {
  return kpis.map(({ label, unit, target, figure }) => {
    const value = figure === undefined ? NaN : positiveZero(figure.constant + valueOf(figure.terms, values));
    return { label, value: Number.isFinite(value) ? value : null, unit, target };
  });
}

function planOf({ variables, rows }: Model, values: Float64Array): Plan {
  const shown = values.map((value, index) => (variables[index]?.isSlack === true ? 0 : value));
  const activities = Float64Array.from(rows, ({ terms }) => positiveZero(valueOf(terms, shown)));
  const slacks = Float64Array.from(rows, ({ lower, upper }, row) => {
    const slack = Math.min(activities[row]! - lower, upper - activities[row]!);
    // A row that neither side bounds is no constraint; JSON has no infinity.
    return positiveZero(Number.isFinite(slack) ? slack : 0);
  });
  return { values: values.map(positiveZero), activities, slacks };
}

/** The values of variables without an index, and of families their totals. */
function valuesByName({ variables, families }: Model, { values }: Plan): Record<string, number> {
  const found: [string, number][] = [];
  const starting = new Map(families.variables.map((family) => [family.from, family]));
  for (const { name } of families.variables.filter(({ size }) => size === 0)) found.push([name, 0]);
  for (let at = 0; at < variables.length; at += 1) {
    const { name, isSlack } = variables[at]!;
    const family = starting.get(at);
    if (family !== undefined && family.size > 0) {
      found.push([family.name, sumOf(values.subarray(at, at + family.size))]);
      at += family.size - 1;
    } else if (isSlack !== true) found.push([name, values[at]!]);
  }
  return Object.fromEntries(found);
}

/** Each constraint; of a family the member with the least room. */
function constraintsOf({ rows, families }: Model, { activities, slacks }: Plan): SolveResult['constraints'] {
  const found: SolveResult['constraints'] = [];
  const starting = new Map(families.rows.map((family) => [family.from, family]));
  for (let row = 0; row < rows.length; row += 1) {
    const size = starting.get(row)?.size ?? 0;
    let tightest = row;
    for (let other = row + 1; other < row + size; other += 1) if (slacks[other]! < slacks[tightest]!) tightest = other;
    found.push({ name: rows[tightest]!.name, activity: activities[tightest]!, slack: slacks[tightest]! });
    row += Math.max(0, size - 1);
  }
  return found;
}

const sumOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);

/** The value without what the solver's tolerances leave beside it: whole where it must be, and within its bounds. */
function exact(value: number, variable: Variable | undefined): number {
  const { isInteger = false, lower = -Infinity, upper = Infinity } = variable ?? {};
  return Math.min(upper, Math.max(lower, isInteger ? Math.round(value) : value));
}

const positiveZero = (value: number): number => (value === 0 ? 0 : value);
