import { relaxConditionalRows } from './conditional-rows.js';
import { checkDefinitions } from './definitions.js';
import type { Model } from './model.js';
import { checkQuadratic, moveProducts } from './quadratic.js';

/**
 * Prepares a complete model for the solver.
 *
 * @throws ModelProblem if a bound is missing or if the solver does not support the objective
 */
export function prepareModel(model: Model): void {
  checkDefinitions(model);
  checkQuadratic(model);
  moveProducts(model);
  relaxConditionalRows(model);
}
