import { type Bounds, type Extreme, extremesOf } from './bounds.js';
import type { Terms, Variable } from './model.js';

/** Maximum relaxation of a bound. The solver's tolerances would make larger relaxations unreliable. */
export const MAX_RELAXATION = 1e6;
/** Maximum relaxation of a bound without a note in the result. */
export const LARGE_RELAXATION = 1e4;

/**
 * Explains that the value of terms can become infinitely large.
 *
 * @param sign whether the value can become too large (1) or too small (-1)
 */
export function whyUnbounded(variables: readonly Variable[], terms: Terms, bounds: Bounds, sign: number): string {
  const infinite = extremesOf(terms, bounds, sign).find(({ amount }) => !Number.isFinite(amount))!;
  const [at, isUpper] = sourceOf(variables, bounds, infinite.bound);
  return `${variables[at]!.name} has no ${isUpper ? 'upper' : 'lower'} bound: give it ${isUpper ? 'an upper' : 'a lower'} bound`;
}

/** Explains that the value of terms can become too large for a relaxation. */
export function whyTooFar(variables: readonly Variable[], terms: Terms, bounds: Bounds, sign: number): string {
  const [first] = extremesOf(terms, bounds, sign).toSorted((one, other) => other.amount - one.amount);
  const [at, isUpper] = sourceOf(variables, bounds, first!.bound);
  const bound = (isUpper ? bounds.upper : bounds.lower)[at]!;
  const [side, tighter] = isUpper ? ['upper', 'smaller'] : ['lower', 'larger'];
  return `the ${side} bound of ${variables[at]!.name}, ${bound.toLocaleString('en')}, is too large for this: give it a ${tighter} ${side} bound, or use a larger unit`;
}

/** Returns the bound of a named variable that causes the given bound. The given variable may have no name. */
function sourceOf(variables: readonly Variable[], bounds: Bounds, bound: Extreme['bound']): Extreme['bound'] {
  const [at, isUpper] = bound;
  const { definition } = variables[at]!;
  if (definition === undefined) return bound;
  const sign = isUpper ? 1 : -1;
  const extremes =
    definition.kind === 'largest'
      ? definition.of.flatMap(({ terms }) => extremesOf(terms, bounds, sign))
      : extremesOf({ variables: [definition.of[1]], coefficients: [1] }, bounds, sign);
  const [first] = extremes.toSorted((one, other) => other.amount - one.amount);
  return first === undefined ? bound : sourceOf(variables, bounds, first.bound);
}
