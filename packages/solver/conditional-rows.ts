import { type Bounds, impliedBounds, rangeOfTerms } from './bounds.js';
import { MAX_RELAXATION, whyTooFar, whyUnbounded } from './relaxation.js';
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
  const [least, most] = rangeOfTerms(withoutSlack(terms, variables), bounds);
  return {
    below: lower === -Infinity ? 0 : Math.max(0, lower - least),
    above: upper === Infinity ? 0 : Math.max(0, most - upper),
  };
}

const problemOf = ({ name }: Row, reason: string): ModelProblem =>
  new ModelProblem('incomplete_model', `The constraint ${name} only holds under a condition, and ${reason}`);
