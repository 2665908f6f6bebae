import { MODEL_LIMITS, type Place, problemAt, type Variable } from './model.js';

/**
 * Makes a variable semi-continuous: it is 0 or within its bounds.
 *
 * @param at place in the model file where the variable becomes semi-continuous
 * @throws ModelProblem if the solver does not support the bounds
 */
export function makeSemiContinuous(variable: Variable, at: Place): void {
  const { lower, upper } = variable;
  if (lower > upper) throw problemAt(at, 'the lower bound of a semi-continuous variable is above its upper bound');
  if (lower === 0) return;
  if (lower < 0) throw problemAt(at, 'the lower bound of a semi-continuous variable must not be negative');
  if (upper > MODEL_LIMITS.rangeEnd) {
    throw problemAt(at, `a semi-continuous variable needs an upper bound of at most ${MODEL_LIMITS.rangeEnd}`);
  }
  Object.assign(variable, { lower: 0, upper, zeroOr: { lower, upper } });
}
