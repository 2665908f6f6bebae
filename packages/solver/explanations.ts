import type { Model, Row, Variable } from './model.js';
import type { Highs, ModelArrays } from './highs.js';
import { type Run, runWithin } from './run.js';

/** Explanation of an infeasible model. */
export interface Clash {
  message: string;
  /** Names of constraints, and bounds in the form `x <= 5`. After 50 entries, the last entry gives the number of the others. */
  conflict: string[];
}

/** Bound or constraint that can be left out of a model. */
interface Demand {
  text: string;
  drop: (data: ModelArrays) => void;
}

/** Maximum number of names in a conflict. */
const MAX_CONFLICT = 50;
/** Maximum number of names in a sentence. */
const MAX_NAMED = 20;
const LEAST_STEP = 1e-7;
/** Time limit of a trial. Trials that take longer are inconclusive. */
const TRIAL_SECONDS = 2;
/** Branching limit of a trial. Without bounds, a trial may branch forever and fill the memory. */
const TRIAL_NODES = 1_000;

/**
 * Finds a minimal set of constraints and bounds that cannot hold together. Leaves out demands as long as the model stays
 * infeasible, first in large groups, then individually. Integrality is never left out. A demand stays if its trial is
 * inconclusive or the time is up, and the message says so.
 */
export function explainInfeasible(highs: Highs, model: Model, data: ModelArrays, deadline: number): Clash {
  const all = demandsOf(model);
  let kept = all;
  let isLeast = true;
  for (let size = Math.ceil(kept.length / 2); size > 0; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < kept.length;) {
      // Each trial has a fixed cost, even with little time left for the solver.
      if (secondsUntil(deadline) === 0) return toClash(kept, false);
      const others = kept.toSpliced(from, size);
      const found = hasValues(highs, withOnly(data, all, others), deadline);
      // Only the last round tests every demand separately.
      if (found === undefined && size === 1) isLeast = false;
      if (found === false) kept = others;
      else from += size;
    }
  }
  return toClash(kept, isLeast);
}

function toClash(kept: readonly Demand[], isLeast: boolean): Clash {
  const conflict = kept.map(({ text }) => text);
  return { message: clashMessage(conflict, isLeast), conflict: fewOf(conflict) };
}

/** Returns at most {@link MAX_CONFLICT} names, followed by the number of the others. */
function fewOf(names: string[]): string[] {
  const more = names.length - MAX_CONFLICT;
  return more > 0 ? [...names.slice(0, MAX_CONFLICT), `and ${more} more`] : names;
}

/** Finds a single variable or constraint that can never be satisfied, without the solver. */
export function findTrivialConflict({ variables, rows }: Model): Clash | undefined {
  const variable = variables.find(({ lower, upper }) => lower > upper);
  if (variable !== undefined) {
    const conflict = boundsOf(variable).map(({ text }) => text);
    return { message: clashMessage(conflict, true), conflict };
  }
  const row = rows.find(
    ({ terms, lower, upper }) => lower > upper || (terms.variables.length === 0 && (lower > 0 || upper < 0)),
  );
  if (row === undefined) return undefined;
  return { message: `The constraint ${row.name} can never hold`, conflict: [row.name] };
}

/**
 * Names the variables that can improve the objective without limit. They come from the steepest direction that no constraint or
 * bound limits.
 */
export function explainUnbounded(highs: Highs, model: Model, data: ModelArrays, deadline: number): string {
  const { variables } = model;
  const directions = (limits: readonly { lower: number; upper: number }[], edge: number): Pair => ({
    lower: Float64Array.from(limits, ({ lower }) => (Number.isFinite(lower) ? 0 : -edge)),
    upper: Float64Array.from(limits, ({ upper }) => (Number.isFinite(upper) ? 0 : edge)),
  });
  const columns = directions(variables, 1);
  const rows = directions(model.rows, Infinity);
  const values = runOrNothing(
    highs,
    {
      ...data,
      offset: 0,
      isWhole: new Uint8Array(variables.length),
      colLower: columns.lower,
      colUpper: columns.upper,
      rowLower: rows.lower,
      rowUpper: rows.upper,
    },
    secondsUntil(deadline),
  )?.values;
  const moving = variables.flatMap(({ name, isSlack }, index) => {
    const step = values?.[index] ?? 0;
    return isSlack === true || Math.abs(step) < LEAST_STEP ? [] : [`${name} can ${step > 0 ? 'grow' : 'fall'}`];
  });
  const sense = model.sense === 'maximize' ? 'large' : 'small';
  const reason = moving.length === 0 ? 'a bound or a constraint is missing' : `${listed(moving)} without limit`;
  return `The objective can become as ${sense} as you like: ${reason}`;
}

interface Pair {
  lower: Float64Array<ArrayBuffer>;
  upper: Float64Array<ArrayBuffer>;
}

/** Returns whether any values satisfy all constraints, or undefined if the solver cannot decide. */
export function hasValues(highs: Highs, data: ModelArrays, deadline: number): boolean | undefined {
  const seconds = Math.min(TRIAL_SECONDS, secondsUntil(deadline));
  if (seconds === 0) return undefined;
  const run = runOrNothing(highs, { ...data, colCost: new Float64Array(data.colCost.length) }, seconds);
  return run?.values !== undefined ? true : run?.status === 'infeasible' ? false : undefined;
}

/** Runs the solver for an explanation. A failure is ignored because the result of the solve is already known. */
function runOrNothing(highs: Highs, data: ModelArrays, seconds: number): Run | undefined {
  try {
    return runWithin(highs, data, { seconds, nodes: TRIAL_NODES });
  } catch {
    // The solver gives up on some relaxed models and runs out of memory for others.
    return undefined;
  }
}

const secondsUntil = (deadline: number): number => Math.max(0, (deadline - performance.now()) / 1000);

function demandsOf({ variables, rows }: Model): Demand[] {
  const bounds = variables.flatMap((variable, index) =>
    boundsOf(variable).map(({ text, side }) => ({
      text,
      drop: (data: ModelArrays) => {
        data[side][index] = side === 'colLower' ? -Infinity : Infinity;
      },
    })),
  );
  return [...bounds, ...rows.map(toDemand)];
}

/** Returns the finite bounds of a variable. */
function boundsOf({ name, lower, upper, isSlack }: Variable): { text: string; side: 'colLower' | 'colUpper' }[] {
  if (isSlack === true) return [];
  return [
    ...(lower === -Infinity ? [] : [{ text: `${name} >= ${lower}`, side: 'colLower' as const }]),
    ...(upper === Infinity ? [] : [{ text: `${name} <= ${upper}`, side: 'colUpper' as const }]),
  ];
}

const toDemand = ({ name }: Row, index: number): Demand => ({
  text: name,
  drop: (data) => {
    data.rowLower[index] = -Infinity;
    data.rowUpper[index] = Infinity;
  },
});

/** Returns the model with only some of its demands. */
function withOnly(data: ModelArrays, all: readonly Demand[], kept: readonly Demand[]): ModelArrays {
  const relaxed: ModelArrays = {
    ...data,
    colLower: Float64Array.from(data.colLower),
    colUpper: Float64Array.from(data.colUpper),
    rowLower: Float64Array.from(data.rowLower),
    rowUpper: Float64Array.from(data.rowUpper),
  };
  const wanted = new Set(kept);
  for (const demand of all) if (!wanted.has(demand)) demand.drop(relaxed);
  return relaxed;
}

function clashMessage(conflict: readonly string[], isLeast: boolean): string {
  if (conflict.length === 0) return 'No values satisfy all constraints';
  const which = isLeast ? 'These cannot hold together' : 'Some of these cannot hold together';
  return `No values satisfy all constraints. ${which}: ${listed(conflict)}`;
}

function listed(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  return more > 0 ? `${names.slice(0, MAX_NAMED).join(', ')} and ${more} more` : names.join(', ');
}
