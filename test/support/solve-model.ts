import { type Highs, toArrays } from '../../packages/solver/highs.js';
import type { Model } from '../../packages/solver/model.js';
import { runWithin } from '../../packages/solver/run.js';
import { explainRun, type ModelResult, toPlanResult, trivialResult } from '../../packages/solver/solve-result.js';

/** Solves a model in the current thread, which is blocked until the solver ends. */
export function solveModel(highs: Highs, model: Model, seconds: number, gap = 0): ModelResult {
  const seen = trivialResult(model);
  if (seen !== undefined) return seen;
  const run = runWithin(highs, toArrays(model), { seconds, gap });
  return toPlanResult(model, run, `in ${seconds} s`) ?? explainRun(highs, model, run);
}
