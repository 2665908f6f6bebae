import { type Highs, toArrays } from '../../packages/solver/highs.js';
import type { Model } from '../../packages/solver/model.js';
import { byPriority } from '../../packages/solver/priorities.js';
import { runWithin } from '../../packages/solver/run-within.js';
import { explainRun, type ModelResult, toPlanResult, trivialResult } from '../../packages/solver/solve-result.js';

/** Solves a model in the current thread, which is blocked until the solver ends. */
export function solveModel(highs: Highs, model: Model, seconds: number, gap = 0): ModelResult {
  const seen = trivialResult(model);
  if (seen !== undefined) return seen;
  const stages = byPriority(model);
  let next = stages.next();
  while (next.done !== true) {
    const { model: searched, start, integerTolerance } = next.value;
    const options = { ...(start && { start }), ...(integerTolerance !== undefined && { integerTolerance }) };
    next = stages.next(runWithin(highs, toArrays(searched), { seconds, gap, ...options }));
  }
  const { stage, run } = next.value;
  return (
    toPlanResult(model, run, `in ${seconds} s`) ?? explainRun(highs, stage.model, run, stage.start && stage.priority)
  );
}
