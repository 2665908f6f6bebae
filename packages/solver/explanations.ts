import { withRelaxedRows } from './conditional-rows.js';
import { directionsOf } from './directions.js';
import { sizeOfHelpers } from './helpers.js';
import { boundArraysOf, type Highs, type ModelArrays, toArrays } from './highs.js';
import type { Model, Variable } from './model.js';
import { withoutProducts } from './quadratic.js';
import { type Run, runOnce } from './run.js';

/** Explanation of an infeasible model. */
export interface Infeasibility {
  message: string;
  /**
   * Names of constraints, and bounds in the form `x <= 5`. After 50 entries, the last entry gives the number of omitted names.
   */
  conflict: string[];
}

/** Bound or constraint that can be removed from a model. */
interface Restriction {
  text: string;
  /** Replaces the variable or row in a copy of the model. */
  drop: (copy: Pick<Model, 'variables' | 'rows'>) => void;
}

/** Maximum number of names in a conflict. */
const MAX_CONFLICT = 50;
/** Maximum number of names in a sentence. */
const MAX_LISTED_NAMES = 20;
const MIN_STEP = 1e-7;
/** Time limit of a trial. A trial that exceeds it is inconclusive. */
const TRIAL_SECONDS = 2;
/**
 * Branching limit of a trial. Without this limit, a trial whose variables have no bounds may branch forever and fill the
 * memory.
 */
const TRIAL_NODES = 1_000;

/**
 * Finds a minimal set of constraints and bounds that contradict each other. Removes restrictions as long as the model stays
 * infeasible, first in large groups, then individually. Integrality is never removed. A restriction stays if its trial is
 * inconclusive or if there is no time left. The message then says that the set may not be minimal.
 */
export function explainInfeasible(highs: Highs, model: Model, data: ModelArrays, deadline: number): Infeasibility {
  const all = restrictionsOf(model);
  // Products in an objective are not variables of the solver, and the objective does not matter here.
  const objective = { variables: [], coefficients: [] };
  const shown = { ...model, objective, variables: model.variables.slice(0, data.colCost.length) };
  // Without helpers, only bounds differ. Building all arrays for each trial would make large models 60 % slower to explain.
  const hasHelpers = sizeOfHelpers(model).terms > 0;
  const trialOf = (reduced: Model) => (hasHelpers ? toArrays(reduced) : { ...data, ...boundArraysOf(reduced) });
  let remaining = all;
  let isMinimal = true;
  for (let size = Math.ceil(remaining.length / 2); size > 0; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < remaining.length;) {
      // Each trial has a fixed overhead, even if little time is left for the solver.
      if (secondsUntil(deadline) === 0) return toInfeasibility(remaining, false);
      const reduced = remaining.toSpliced(from, size);
      const isFeasible = hasValues(highs, trialOf(withOnly(shown, all, reduced)), deadline);
      // Earlier rounds test groups, and each restriction is tested individually in the last round.
      if (isFeasible === undefined && size === 1) isMinimal = false;
      if (isFeasible === false) remaining = reduced;
      else from += size;
    }
  }
  return toInfeasibility(remaining, isMinimal);
}

function toInfeasibility(remaining: readonly Restriction[], isMinimal: boolean): Infeasibility {
  const conflict = remaining.map(({ text }) => text);
  return { message: conflictMessage(conflict, isMinimal), conflict: firstNames(conflict) };
}

/** Returns at most {@link MAX_CONFLICT} names, followed by the number of omitted names. */
function firstNames(names: string[]): string[] {
  const more = names.length - MAX_CONFLICT;
  return more > 0 ? [...names.slice(0, MAX_CONFLICT), `and ${more} more`] : names;
}

/** Finds a single variable or constraint that can never be satisfied. Does not need the solver. */
export function findTrivialConflict({ variables, rows }: Model): Infeasibility | undefined {
  const variable = variables.find(({ lower, upper }) => lower > upper);
  if (variable !== undefined) {
    const conflict = boundsOf(variable).map(({ text }) => text);
    return { message: conflictMessage(conflict, true), conflict };
  }
  const row = rows.find(
    ({ terms, lower, upper, when }) =>
      when === undefined && (lower > upper || (terms.variables.length === 0 && (lower > 0 || upper < 0))),
  );
  if (row === undefined) return undefined;
  return { message: `The constraint ${row.name} can never hold`, conflict: [row.name] };
}

/**
 * Lists variables that can improve the objective without limit. The variables are taken from the steepest direction that no
 * constraint or bound limits.
 */
export function explainUnbounded(highs: Highs, model: Model, data: ModelArrays, deadline: number): string {
  const { variables } = model;
  const values = tryRun(highs, directionsOf(data), secondsUntil(deadline))?.values;
  const moving = variables.flatMap(({ name }, index) => {
    const step = values?.[index] ?? 0;
    return name === '' || Math.abs(step) < MIN_STEP ? [] : [`${name} can ${step > 0 ? 'grow' : 'fall'}`];
  });
  const sense = model.sense === 'maximize' ? 'large' : 'small';
  const reason = moving.length === 0 ? 'a bound or a constraint is missing' : `${listed(moving)} without limit`;
  return `The objective can become as ${sense} as you like: ${reason}`;
}

/** Returns whether some values satisfy all constraints, or undefined if the solver cannot decide. */
export function hasValues(highs: Highs, data: ModelArrays, deadline: number): boolean | undefined {
  const seconds = Math.min(TRIAL_SECONDS, secondsUntil(deadline));
  if (seconds === 0) return undefined;
  const run = tryRun(highs, { ...withoutProducts(data), colCost: new Float64Array(data.colCost.length) }, seconds);
  return run?.values !== undefined ? true : run?.status === 'infeasible' ? false : undefined;
}

/** Runs the solver for an explanation. Failures are ignored because the result of the solve is already known. */
function tryRun(highs: Highs, data: ModelArrays, seconds: number): Run | undefined {
  try {
    return runOnce(highs, data, { seconds, nodes: TRIAL_NODES });
  } catch {
    // Returning undefined marks the trial as inconclusive, because the solver gives up on some models or runs out of memory.
    return undefined;
  }
}

const secondsUntil = (deadline: number): number => Math.max(0, (deadline - performance.now()) / 1000);

function restrictionsOf({ variables, rows }: Model): Restriction[] {
  const changing =
    (at: number, change: Partial<Variable>): Restriction['drop'] =>
    (copy) => {
      copy.variables[at] = { ...copy.variables[at]!, ...change };
    };
  const bounds = variables.flatMap((variable, at) =>
    boundsOf(variable).map(({ text, without }) => ({ text, drop: changing(at, without) })),
  );
  const ranges = variables.flatMap((variable, at) =>
    variable.zeroOr === undefined ? [] : [{ text: rangeOf(variable), drop: changing(at, { zeroOr: undefined }) }],
  );
  const ofRows = rows.map((row, at): Restriction => ({
    text: row.name,
    drop: (copy) => {
      copy.rows[at] = { ...row, lower: -Infinity, upper: Infinity };
    },
  }));
  return [...bounds, ...ranges, ...ofRows];
}

/** Formats the values of a variable that is 0 or in a range. */
export const rangeOf = ({ name, zeroOr }: Variable): string => `${name} is 0 or ${zeroOr?.lower} to ${zeroOr?.upper}`;

/** Returns the finite bounds of a variable. */
function boundsOf({ name, lower, upper }: Variable): { text: string; without: Partial<Variable> }[] {
  if (name === '') return [];
  return [
    ...(lower === -Infinity ? [] : [{ text: `${name} >= ${lower}`, without: { lower: -Infinity } }]),
    ...(upper === Infinity ? [] : [{ text: `${name} <= ${upper}`, without: { upper: Infinity } }]),
  ];
}

/** Returns the model with only some of its restrictions. */
function withOnly(model: Model, all: readonly Restriction[], remaining: readonly Restriction[]): Model {
  const copy = { ...model, variables: [...model.variables], rows: [...model.rows] };
  const retained = new Set(remaining);
  for (const restriction of all) if (!retained.has(restriction)) restriction.drop(copy);
  return { ...copy, rows: withRelaxedRows(copy) };
}

function conflictMessage(conflict: readonly string[], isMinimal: boolean): string {
  if (conflict.length === 0) return 'No values satisfy all constraints';
  const which = isMinimal ? 'These cannot hold together' : 'Some of these cannot hold together';
  return `No values satisfy all constraints. ${which}: ${listed(conflict)}`;
}

function listed(names: readonly string[]): string {
  const more = names.length - MAX_LISTED_NAMES;
  return more > 0 ? `${names.slice(0, MAX_LISTED_NAMES).join(', ')} and ${more} more` : names.join(', ');
}
