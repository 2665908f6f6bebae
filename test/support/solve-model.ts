import { type Highs, toArrays } from '../../packages/solver/highs.js';
import type { Model } from '../../packages/solver/model.js';
import { runWithin } from '../../packages/solver/run.js';
import { explained, type ModelResult, planFound, resultAtFirstSight } from '../../packages/solver/solve-result.js';

/** Solves a model in this thread, which the solver then holds. */
export function solveModel(highs: Highs, model: Model, seconds: number, gap = 0): ModelResult {
  const seen = resultAtFirstSight(model);
  if (seen !== undefined) return seen;
  const run = runWithin(highs, toArrays(model), { seconds, gap });
  return planFound(model, run, `in ${seconds} s`) ?? explained(highs, model, run);
}
