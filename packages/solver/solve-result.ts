import { isInForce } from './conditional-rows.js';
import { largestRange, withDefinedValues } from './definitions.js';
import { type Model, type Row, type StatedObjective, valueOf, type Variable } from './model.js';
import { findTrivialConflict, explainInfeasible, explainUnbounded, hasValues, rangeOf } from './explanations.js';
import { sizeOfHelpers } from './helpers.js';
import { LARGE_RELAXATION } from './relaxation.js';
import { type Highs, toArrays } from './highs.js';
import type { Plan } from './plan.js';
import type { Prices, Run } from './run.js';
import { UndecidedError } from './undecided-error.js';
import { gapBetween, reachesBound } from './watch.js';

export const RESULT_STATUSES = ['optimal', 'time_limit', 'infeasible', 'unbounded'] as const;

/** Result of a solve. */
export interface SolveResult {
  /** `time_limit` means that the search ended early. The values are the best values found. */
  status: (typeof RESULT_STATUSES)[number];
  /** Null if there are no values. */
  objective_value: number | null;
  /** Best possible objective. Null if it is unknown or no values were found. */
  bound: number | null;
  /**
   * Distance of the objective to the bound, relative to the objective. Null if there is no bound, or if the objective is 0 and
   * the bound is not.
   */
  gap: number | null;
  /** Values by variable name. For a family, this is the total of its members. */
  variables: Record<string, number>;
  /** Reduced costs of variables without an index, for linear programs. See {@link Prices}. */
  reduced_costs?: Record<string, number>;
  /**
   * Constraints, except those whose condition is not met. A family is represented by its member with the least slack. The slack
   * is the distance to the nearer bound: 0 if the constraint binds, negative if it is violated. Duals are only present for
   * linear programs, see {@link Prices}.
   */
  constraints: { name: string; activity: number; slack: number; dual?: number }[];
  /** Explains why there are no values, or how close they are to the optimum. Null for an optimum. */
  message: string | null;
  /** Constraints and bounds that contradict each other. */
  conflict: string[];
  /** Values of the objectives, most important first. Absent if they have no priorities. */
  objectives?: SolvedObjective[];
  /** Sentences about the result that do not question it. Absent for results without notes. */
  notes?: string[];
  /** KPIs. Absent for a model without KPIs. */
  kpis?: SolvedKpi[];
  /** Variables with an index. Absent for a model without such variables. */
  families?: SolvedFamily[];
}

/** Result of a solve, including the plan if values were found. */
export type ModelResult = SolveResult & { plan?: Plan };

/** Variable with an index. The values of its members are in a table. */
export interface SolvedFamily {
  name: string;
  /** Names of the key parts. */
  keys: string[];
  /** Number of members. */
  size: number;
}

/** Objective of a plan. */
export interface SolvedObjective extends Pick<StatedObjective, 'label' | 'sense' | 'priority'> {
  value: number;
}

/** KPI of a plan. */
export interface SolvedKpi {
  label: string;
  /** Null if its formula cannot be computed. */
  value: number | null;
  unit: string | null;
  target: number | null;
}

/** Thrown if no values were found in time. */
export class TimeLimitError extends Error {}

/** Time limit for explaining an infeasible or unbounded model, in addition to the solve time. */
const EXPLANATION_SECONDS = 10;

/**
 * Returns the result for a model that is obviously infeasible, without running the solver. Returns undefined for all other
 * models.
 */
export function trivialResult(model: Model): ModelResult | undefined {
  const broken = findTrivialConflict(model);
  return broken && resultWithoutPlan('infeasible', broken.message, broken.conflict);
}

/**
 * Converts a run with a plan to a result. Returns undefined if the run has no plan, see {@link explainRun}.
 *
 * @param endPhrase describes how the run ended, such as `in 5 s`
 * @throws TimeLimitError
 */
export function toPlanResult(
  model: Model,
  { status, values, unfinished, ...run }: Run,
  endPhrase: string,
): ModelResult | undefined {
  if (status === 'optimal' && values !== undefined) {
    const result = resultWithPlan(model, 'optimal', values, run);
    return result.gap === 0 || run.isBest === true
      ? result
      : { ...result, message: `The search ended${qualityOf(result)}` };
  }
  if (status !== 'time_limit' && unfinished === undefined) return undefined;
  if (values === undefined) throw new TimeLimitError();
  const result = resultWithPlan(model, 'time_limit', values, run);
  const best = `The best values found ${endPhrase}`;
  if (unfinished === undefined) return { ...result, message: `${best}${qualityOf(result)}` };
  const search = `search for the best value of priority ${unfinished} was not finished`;
  return { ...result, message: status === 'time_limit' ? `${best}: the ${search}` : `The ${search}` };
}

/**
 * Explains why a run found no plan. Takes about 10 s at most.
 *
 * @param priority priority whose plan was searched, if plans for more important ones were found
 * @throws UndecidedError
 */
export function explainRun(highs: Highs, model: Model, { status }: Run, priority?: number): ModelResult {
  const arrays = toArrays(model);
  const deadline = performance.now() + EXPLANATION_SECONDS * 1000;
  const isEither = status === 'unbounded_or_infeasible';
  // The solver reports some unbounded models as infeasible unless the objective is removed.
  const isFeasible = status === 'unbounded' ? true : hasValues(highs, arrays, deadline);
  if (isFeasible !== true && (status === 'infeasible' || isFeasible === false)) {
    const { message, conflict } = explainInfeasible(highs, model, arrays, deadline);
    return resultWithoutPlan('infeasible', message, conflict);
  }
  if (isFeasible === true && (isEither || status === 'infeasible' || status === 'unbounded')) {
    const message = explainUnbounded(highs, model, arrays, deadline);
    return resultWithoutPlan('unbounded', priority === undefined ? message : `Priority ${priority}: ${message}`, []);
  }
  throw new UndecidedError(explainUndecided(model, status));
}

function explainUndecided({ rows, objective }: Model, status: Run['status']): string {
  if (status === 'unbounded_or_infeasible') {
    return 'The solver cannot tell whether the model is infeasible or unbounded. Give the variables bounds and solve again';
  }
  if (status === 'stopped')
    return 'The solver stopped before it had a plan. Give the variables tighter bounds and solve again';
  const sizes = [objective, ...rows.map(({ terms }) => terms)].flatMap(({ coefficients }) =>
    Array.from(coefficients, Math.abs).filter((size) => size > 0),
  );
  const [least, most] = [sizes.reduce((a, b) => Math.min(a, b), Infinity), sizes.reduce((a, b) => Math.max(a, b), 0)];
  return (
    `The solver found neither a plan nor a proof that there is none. The coefficients of the model are between ${least} and ` +
    `${most}. Choose units that bring them closer together, and give the variables finite bounds`
  );
}

function resultWithoutPlan(status: SolveResult['status'], message: string, conflict: string[]): SolveResult {
  return {
    status,
    objective_value: null,
    bound: null,
    gap: null,
    variables: {},
    constraints: [],
    message,
    conflict,
  };
}

const qualityOf = ({ gap }: SolveResult): string =>
  gap === null ? '' : `, at most ${percentOf(gap)} % from the best possible`;

/** Formats a gap as a percentage with two digits, rounded up. */
function percentOf(gap: number): string {
  if (gap === 0) return '0';
  const percent = 100 * gap;
  const step = 10 ** (Math.floor(Math.log10(percent)) - 1);
  return String(Number((Math.ceil(percent / step - 1e-9) * step).toPrecision(2)));
}

function resultWithPlan(
  model: Model,
  status: SolveResult['status'],
  rawValues: Float64Array,
  { bound, prices: exactPrices }: Pick<Run, 'bound' | 'prices'>,
): SolveResult & { plan: Plan } {
  const prices = exactPrices && {
    duals: exactPrices.duals.map(rounded),
    reducedCosts: exactPrices.reducedCosts.map(rounded),
  };
  const { objective, constant, variables, families } = model;
  const values = withDefinedValues(
    variables,
    rawValues.slice(0, variables.length).map((value, index) => exact(value, variables[index])),
  );
  const plan: Plan = { ...planOf(model, values), ...prices };
  const objective_value = rounded(constant + valueOf(objective, values));
  return {
    status,
    objective_value,
    ...qualityAt(objective_value, bound, model),
    variables: totalsByName(model, plan.values),
    ...(prices && { reduced_costs: reducedCostsByName(model, prices) }),
    constraints: constraintsOf(model, plan),
    message: null,
    conflict: [],
    ...(model.priorities !== undefined && {
      objectives: model.priorities.stated.map(({ label, sense, priority, figure: { constant: base, terms } }) => {
        return { label, sense, value: rounded(base + valueOf(terms, values)), priority };
      }),
    }),
    ...notesOn(model),
    ...(model.kpis.length > 0 && { kpis: kpisOf(model, plan) }),
    ...(families.variables.length > 0 && {
      families: families.variables.map(({ name, keys, size }) => ({ name, keys: [...keys], size })),
    }),
    plan,
  };
}

const NO_PRICES =
  'There are no shadow prices or reduced costs, because some variables are 0 or in a range, which is a yes-or-no decision.';

const NO_PRICES_OF_FUNCTIONS =
  'There are no shadow prices or reduced costs, because the solver needs yes-or-no decisions for `max`, `min` or `abs`.';

const WIDE_DEFINITION =
  'Some products or functions contain variables with a range of more than 10,000. Tighter bounds make the search faster and more reliable.';

const NO_PRICES_BY_PRIORITY =
  'There are no shadow prices or reduced costs, because the objectives have priorities and no price covers all of them.';

const describeLarge = ({ name, when }: Row): string =>
  `The bounds of the variables in ${name} leave a range of ${Math.max(when!.above, when!.below).toLocaleString('en')} if its condition is not met. Tighter bounds make the search faster and more reliable.`;

/** Returns the notes on a plan. Models with integer variables have no prices anyway, which needs no note. */
function notesOn(model: Model): Pick<SolveResult, 'notes'> {
  const { variables, rows, priorities } = model;
  const isWhole = variables.some(({ isInteger }) => isInteger);
  const isInRange = variables.some(({ zeroOr }) => zeroOr !== undefined);
  const large = rows.find(({ when }) => when !== undefined && Math.max(when.above, when.below) > LARGE_RELAXATION);
  const notes = [
    ...(large === undefined ? [] : [describeLarge(large)]),
    ...(largestRange(model) > LARGE_RELAXATION ? [WIDE_DEFINITION] : []),
    ...(!isWhole && sizeOfHelpers(model).variables > 0 ? [isInRange ? NO_PRICES : NO_PRICES_OF_FUNCTIONS] : []),
    ...(!isWhole && priorities !== undefined && priorities.later.length > 0 ? [NO_PRICES_BY_PRIORITY] : []),
  ];
  return notes.length > 0 ? { notes } : {};
}

/**
 * Returns the bound and the gap. Within the solver's tolerances, a plan may seem better than its bound. The bound is then set
 * to the plan's objective.
 */
function qualityAt(objective: number, solverBound: number, { sense }: Model): Pick<SolveResult, 'bound' | 'gap'> {
  if (!Number.isFinite(solverBound)) return { bound: null, gap: null };
  const bound = reachesBound(objective, solverBound, sense) ? objective : rounded(solverBound);
  return { bound, gap: gapBetween(objective, bound) };
}

function reducedCostsByName({ variables, families }: Model, { reducedCosts }: Prices): Record<string, number> {
  const inFamilies = new Uint8Array(variables.length);
  for (const { from, size } of families.variables) inFamilies.fill(1, from, from + size);
  const entries: [string, number][] = [];
  for (const [at, { name }] of variables.entries())
    if (name !== '' && inFamilies[at] === 0) entries.push([name, reducedCosts[at]!]);
  return Object.fromEntries(entries);
}

function kpisOf({ kpis }: Model, { values }: Plan): SolvedKpi[] {
  return kpis.map(({ label, unit, target, figure }) => {
    const value = figure === undefined ? NaN : rounded(figure.constant + valueOf(figure.terms, values));
    return { label, value: Number.isFinite(value) ? value : null, unit, target };
  });
}

/** Maximum violation of a conditional row, relative to its activity. */
const CONDITION_TOLERANCE = 1e-5;

/** @throws UndecidedError if a conditional row is violated because of the solver's tolerances */
function assertHolds({ name, terms, lower, upper }: Row, values: Float64Array): void {
  const activity = valueOf(terms, values);
  if (Math.max(lower - activity, activity - upper) > CONDITION_TOLERANCE * Math.max(1, Math.abs(activity)))
    throw new UndecidedError(
      `The solver cannot tell whether the condition of ${name} is met. Give its variables tighter bounds and solve again`,
    );
}

function planOf({ variables, rows }: Model, values: Float64Array): Plan {
  const isConditional = rows.some(({ when }) => when !== undefined);
  const inForce = isConditional ? rows.map((row) => isInForce(row, values)) : undefined;
  for (const [at, row] of rows.entries()) if (row.when !== undefined && inForce?.[at]) assertHolds(row, values);
  const visibleValues = values.map((value, index) => (variables[index]?.isSlack === true ? 0 : value));
  const activities = Float64Array.from(rows, ({ terms }) => rounded(valueOf(terms, visibleValues)));
  const slacks = Float64Array.from(rows, ({ lower, upper }, row) => {
    const slack = Math.min(activities[row]! - lower, upper - activities[row]!);
    // A row without bounds has infinite slack, which JSON cannot represent.
    const isRoom = Number.isFinite(slack) && Math.abs(slack) > slackTolerance(activities[row]!);
    return isRoom ? roundedAt(slack, activities[row]!) : 0;
  });
  return { values, activities, slacks, ...(inForce && { inForce }) };
}

/** Returns the values of variables without an index, and the totals of families. */
function totalsByName({ variables, families }: Model, values: Float64Array): Record<string, number> {
  const totals: [string, number][] = [];
  const starting = new Map(families.variables.map((family) => [family.from, family]));
  for (const { name } of families.variables.filter(({ size }) => size === 0)) totals.push([name, 0]);
  for (let at = 0; at < variables.length; at += 1) {
    const { name } = variables[at]!;
    const family = starting.get(at);
    if (family !== undefined && family.size > 0) {
      totals.push([family.name, sumOf(values.subarray(at, at + family.size))]);
      at += family.size - 1;
    } else if (name !== '') totals.push([name, values[at]!]);
  }
  return Object.fromEntries(totals);
}

/** Returns the constraints. A family is represented by its member with the least slack. */
function constraintsOf(
  { rows, families }: Model,
  { activities, slacks, duals, inForce }: Plan,
): SolveResult['constraints'] {
  const constraints: SolveResult['constraints'] = [];
  const starting = new Map(families.rows.map((family) => [family.from, family]));
  for (let row = 0; row < rows.length; row += 1) {
    const size = Math.max(1, starting.get(row)?.size ?? 1);
    let tightest: number | undefined;
    for (let other = row; other < row + size; other += 1)
      if (inForce?.[other] !== false && (tightest === undefined || slacks[other]! < slacks[tightest]!))
        tightest = other;
    row += size - 1;
    if (tightest === undefined) continue;
    constraints.push({
      name: rows[tightest]!.name,
      activity: activities[tightest]!,
      slack: slacks[tightest]!,
      ...(duals !== undefined && { dual: duals[tightest]! }),
    });
  }
  return constraints;
}

const sumOf = (values: Float64Array): number => rounded(values.reduce((sum, value) => sum + value, 0));

/**
 * Removes the effects of the solver's tolerances by rounding integer variables and clamping the value to its bounds and its
 * range.
 *
 * @throws UndecidedError if the value is far from 0 and from its range
 */
function exact(value: number, variable: Variable | undefined): number {
  const { isInteger = false, lower = -Infinity, upper = Infinity, zeroOr } = variable ?? {};
  const near = Math.min(upper, Math.max(lower, isInteger ? Math.round(value) : rounded(value))) + 0;
  if (variable === undefined || zeroOr === undefined) return near;
  const inRange = Math.min(zeroOr.upper, Math.max(zeroOr.lower, near));
  const allowed = Math.abs(near) <= Math.abs(near - inRange) ? 0 : inRange;
  if (Math.abs(allowed - near) > RANGE_TOLERANCE * Math.max(1, Math.abs(near)))
    throw new UndecidedError(
      `The solver cannot tell 0 from the smallest amount: ${rangeOf(variable)}. Use a smaller largest amount and solve again`,
    );
  return allowed;
}

/** Returns the maximum slack that counts as 0. The solver's feasibility tolerance is 1e-7. */
const slackTolerance = (activity: number): number => Math.max(1e-7, 1e-9 * Math.abs(activity));

/**
 * Number of significant digits to keep for numbers below 1e13. Doubles have two or three more digits, but these may contain
 * rounding errors.
 */
const DIGITS = 13;
/** Numbers below this size count as 0. */
const NOTHING = 1e-9;
/** Distance from 0 or from its range within which a value counts as allowed. It is relative for values above 1. */
const RANGE_TOLERANCE = 1e-5;

/** Removes rounding errors from a number: 91.99999999999991 becomes 92, and -8.5e-14 becomes 0. */
export function rounded(value: number): number {
  const size = Math.abs(value);
  if (size < NOTHING) return 0;
  return size < 10 ** DIGITS ? Number(value.toPrecision(DIGITS)) : Math.round(value);
}

/**
 * Rounds the difference between two numbers of the given `size`. Its rounding errors are as large as the rounding errors of the
 * two numbers.
 */
export function roundedAt(difference: number, size: number): number {
  const digits = DIGITS - 1 - Math.floor(Math.log10(Math.max(Math.abs(size), NOTHING)));
  return rounded(Number(difference.toFixed(Math.min(100, Math.max(0, digits)))));
}
