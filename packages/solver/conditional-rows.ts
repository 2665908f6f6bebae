import { type Model, ModelProblem, type Row, type Terms, type Variable } from './model.js';

/*
 * A conditional row must hold if yes-or-no variables have certain values. Otherwise, its bounds are relaxed so far that every
 * plan meets them, which requires finite bounds of its terms.
 */

/** Decisions under which a row must hold. */
export interface RowCondition {
  /** Indexes of the yes-or-no variables. */
  variables: ArrayLike<number>;
  /** Value of each of these variables. */
  values: ArrayLike<number>;
  /** Relaxation of the bounds for each variable with the other value. Set by {@link relaxConditionalRows}. */
  below: number;
  above: number;
  /** Set if the condition can never be met. */
  isImpossible?: true;
}

/** Maximum relaxation of a bound. The solver's tolerances would make larger relaxations unreliable. */
const MAX_RELAXATION = 1e6;
/** Maximum relaxation of a bound without a note in the result. */
export const LARGE_RELAXATION = 1e4;
/** Number of passes over the rows that derive bounds of variables. */
const PASSES = 3;

/** Whether a row must hold in a plan. A decision counts as made if its rounded value is right. */
export const isInForce = ({ when }: Row, values: ArrayLike<number>): boolean =>
  when === undefined ||
  (when.isImpossible !== true &&
    Array.from(when.variables).every((at, place) => Math.round(values[at]!) === when.values[place]));

/** Maximum relaxation of a row by inexact decisions. */
const RELAXATION_TOLERANCE = 1e-7;

/** Whether the decisions of a plan are so close to 0 and 1 that they do not relax any row noticeably. */
export const isAccurate = ({ rows }: Model, values: ArrayLike<number>): boolean =>
  rows.every(
    ({ when }) =>
      when === undefined ||
      Array.from(when.variables).every((at) => {
        const distance = Math.abs(values[at]! - Math.round(values[at]!));
        return distance * Math.max(when.below, when.above) <= RELAXATION_TOLERANCE;
      }),
  );

interface Bounds {
  lower: Float64Array;
  upper: Float64Array;
}

/**
 * Determines how far the bounds of conditional rows must be relaxed. Uses the bounds of the variables, and bounds that follow
 * from unconditional rows.
 *
 * @throws ModelProblem that names a variable without a bound, or a row whose bound would be relaxed too far
 */
export function relaxConditionalRows({ variables, rows }: Model): void {
  const conditional = rows.filter((row): row is Row & { when: RowCondition } => row.when !== undefined);
  if (conditional.length === 0) return;
  const bounds = impliedBounds(variables, rows);
  for (const row of conditional) {
    const { terms, when } = row;
    if (when.isImpossible === true) continue;
    Object.assign(when, relaxationOf(row, variables, bounds));
    for (const [amount, sign] of [[when.above, 1] as const, [when.below, -1] as const]) {
      if (amount === Infinity) throw problemOf(row, whyUnbounded(variables, terms, bounds, sign));
      if (amount > MAX_RELAXATION) throw problemOf(row, whyTooFar(variables, terms, bounds, sign));
    }
  }
}

function withoutSlack({ variables: all, coefficients }: Terms, variables: readonly Variable[]): Terms {
  const places = Array.from(all, (_, place) => place).filter((place) => variables[all[place]!]!.isSlack !== true);
  return { variables: places.map((place) => all[place]!), coefficients: places.map((place) => coefficients[place]!) };
}

/**
 * Returns the rows of a checked model after some of its bounds have been removed. Conditional rows are relaxed according to the
 * remaining bounds.
 */
export function withRelaxedRows({ variables, rows }: Pick<Model, 'variables' | 'rows'>): Row[] {
  if (!rows.some(({ when }) => when !== undefined)) return rows;
  const bounds = impliedBounds(variables, rows);
  return rows.map((row) => {
    if (row.when === undefined || row.when.isImpossible === true) return row;
    const { below, above } = relaxationOf(row, variables, bounds);
    const limited = { below: Math.min(below, MAX_RELAXATION), above: Math.min(above, MAX_RELAXATION) };
    return { ...row, when: { ...row.when, ...limited } };
  });
}

/** Returns the relaxation with which every plan meets the bounds of a row. It may be infinite. */
function relaxationOf(
  { terms, lower, upper }: Row,
  variables: readonly Variable[],
  bounds: Bounds,
): Pick<RowCondition, 'below' | 'above'> {
  // Slack makes a bound easier to meet, so it never requires that a bound is relaxed further.
  const [least, most] = rangeOf(withoutSlack(terms, variables), bounds);
  return {
    below: lower === -Infinity ? 0 : Math.max(0, lower - least),
    above: upper === Infinity ? 0 : Math.max(0, most - upper),
  };
}

const problemOf = ({ name }: Row, reason: string): ModelProblem =>
  new ModelProblem('incomplete_model', `The constraint ${name} only holds under a condition, and ${reason}`);

/** @param sign whether the value of the terms can become too large (1) or too small (-1) */
function whyUnbounded(variables: readonly Variable[], terms: Terms, bounds: Bounds, sign: number): string {
  const [at, isUpper] = extremesOf(terms, bounds, sign).find(({ amount }) => !Number.isFinite(amount))!.bound;
  return `${variables[at]!.name} has no ${isUpper ? 'upper' : 'lower'} bound: give it ${isUpper ? 'an upper' : 'a lower'} bound`;
}

function whyTooFar(variables: readonly Variable[], terms: Terms, bounds: Bounds, sign: number): string {
  const [first] = extremesOf(terms, bounds, sign).toSorted((one, other) => other.amount - one.amount);
  const [at, isUpper] = first!.bound;
  const bound = (isUpper ? bounds.upper : bounds.lower)[at]!;
  const [side, tighter] = isUpper ? ['upper', 'smaller'] : ['lower', 'larger'];
  return `the ${side} bound of ${variables[at]!.name}, ${bound.toLocaleString('en')}, is too large for this: give it a ${tighter} ${side} bound, or use a larger unit`;
}

interface Extreme {
  /** Contribution of a term to the largest (or smallest) value of its row. */
  amount: number;
  /** Variable, and whether its upper bound determines the contribution. */
  bound: [at: number, isUpper: boolean];
}

function extremesOf({ variables, coefficients }: Terms, { lower, upper }: Bounds, sign: number): Extreme[] {
  return Array.from(variables, (at, place) => {
    const coefficient = sign * coefficients[place]!;
    const isUpper = coefficient > 0;
    const amount = coefficient === 0 ? 0 : coefficient * (isUpper ? upper : lower)[at]!;
    return { amount, bound: [at, isUpper] };
  });
}

/** Returns the smallest and the largest value of terms. */
const rangeOf = (terms: Terms, bounds: Bounds): [number, number] => [
  0 - extremesOf(terms, bounds, -1).reduce((sum, { amount }) => sum + amount, 0),
  extremesOf(terms, bounds, 1).reduce((sum, { amount }) => sum + amount, 0),
];

/** Returns the bounds of the variables, and tighter bounds that follow from unconditional rows. */
function impliedBounds(variables: readonly Variable[], rows: readonly Row[]): Bounds {
  const bounds = {
    lower: Float64Array.from(variables, ({ lower, zeroOr }) => (zeroOr === undefined ? lower : Math.max(0, lower))),
    upper: Float64Array.from(variables, ({ upper, zeroOr }) => Math.min(upper, zeroOr?.upper ?? Infinity)),
  };
  for (let pass = 0; pass < PASSES; pass += 1)
    for (const { terms, lower, upper, when } of rows) {
      if (when !== undefined) continue;
      tighten(bounds, terms, upper, 1);
      tighten(bounds, terms, -lower, -1);
    }
  return bounds;
}

/** Tightens bounds by `sign * terms <= limit`. */
function tighten({ lower, upper }: Bounds, { variables, coefficients }: Terms, limit: number, sign: number): void {
  if (!Number.isFinite(limit)) return;
  let [least, unlimited] = [0, 0];
  const leastOf = (place: number): number => {
    const coefficient = sign * coefficients[place]!;
    return coefficient === 0 ? 0 : coefficient * (coefficient > 0 ? lower : upper)[variables[place]!]!;
  };
  for (let place = 0; place < variables.length; place += 1) {
    const amount = leastOf(place);
    if (amount === -Infinity) unlimited += 1;
    else least += amount;
  }
  if (unlimited > 1) return;
  for (let place = 0; place < variables.length; place += 1) {
    const coefficient = sign * coefficients[place]!;
    const amount = leastOf(place);
    if (coefficient === 0 || (unlimited === 1 && amount !== -Infinity)) continue;
    const most = (limit - (unlimited === 1 ? least : least - amount)) / coefficient;
    const at = variables[place]!;
    if (coefficient > 0) upper[at] = Math.min(upper[at]!, most);
    else lower[at] = Math.max(lower[at]!, most);
  }
}
