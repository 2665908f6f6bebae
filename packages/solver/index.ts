export { type CompiledSolver, compileSolver, loadSolver, toArrays } from './highs.js';
export { isModelFile, readModelFile } from './model-file.js';
export {
  checkCoefficient,
  type Definition,
  type Family,
  type Goal,
  isDecision,
  type Kpi,
  type LinearExpression,
  type Model,
  MODEL_LIMITS,
  ModelProblem,
  type ModelProblemCode,
  type Row,
  type StatedObjective,
  type Terms,
  toBound,
  type Variable,
  valueOf,
  withinBinary,
} from './model.js';
export { checkSize, type ModelSize, sizeOf } from './model-size.js';
export type { Plan } from './plan.js';
export { prepareModel } from './prepare-model.js';
export { byPriority, type Stage } from './priorities.js';
export { OutOfMemoryError, search, type SearchTask } from './search.js';
export {
  explainRun,
  type ModelResult,
  toPlanResult,
  RESULT_STATUSES,
  trivialResult,
  roundedAt,
  type SolveResult,
  TimeLimitError,
} from './solve-result.js';
export { UndecidedError } from './undecided-error.js';
export { gapBetween, monotonicProgress, type Search } from './watch.js';
