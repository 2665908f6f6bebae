import { type Highs, toArrays } from '../../src/executions/solver/highs.js';
import type { Model } from '../../src/executions/model/model.js';
import { runWithin } from '../../src/executions/solver/run.js';
import {
  explained,
  type ModelResult,
  planFound,
  resultAtFirstSight,
} from '../../src/executions/solver/solve-result.js';

/** Solves a model in this thread, which the solver then holds. */
export function solveModel(highs: Highs, model: Model, seconds: number, gap = 0): ModelResult {
  const seen = resultAtFirstSight(model);
  if (seen !== undefined) return seen;
  const run = runWithin(highs, toArrays(model), { seconds, gap });
  return planFound(model, run, `in ${seconds} s`) ?? explained(highs, model, run);
}
