import type { Highs, ModelArrays } from './highs.js';
import { runQuadratic } from './quadratic-run.js';
import { type Run, type RunLimits, runOnce } from './run.js';
import type { SearchWatch } from './watch.js';

/** Searches the best plan of a model. */
export const runWithin = (highs: Highs, arrays: ModelArrays, limits: RunLimits, watch?: SearchWatch): Run =>
  arrays.hessian === undefined ? runOnce(highs, arrays, limits, watch) : runQuadratic(highs, arrays, limits, watch);
