import type { Extremal } from '../functions.js';

/** Sum of variables, by their numbers, and a constant. */
export interface LinearSum {
  constant: number;
  terms: { variables: number[]; coefficients: number[] };
}

/** Creates variables for the parts of formulas that are not linear. */
export interface DefinedVariables {
  /** Returns the variable that is the product of two variables. @throws ExpansionRefusal */
  product(one: number, other: number): number;
  /**
   * Returns the variable that is the largest of several sums.
   *
   * @param name function in the formula. The sums of `min` are negated
   */
  largest(of: readonly [LinearSum, ...LinearSum[]], name: Extremal): number;
}

/** Returns existing variables instead of new variables, for checks that do not use the terms of a formula. */
export const STAND_INS: DefinedVariables = {
  product: (one) => one,
  largest: (of) => of.flatMap(({ terms }) => terms.variables)[0] ?? 0,
};
