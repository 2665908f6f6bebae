import type { ModelCard, SetTable } from '../../../packages/canvas/index.js';
import type {
  CompiledSolver,
  ModelProblemCode,
  ModelSize,
  Search,
  SolveResult,
} from '../../../packages/solver/index.js';
import type { ResultTable } from './result-tables.js';

/** Input of a solve: a model file, or the cards on a canvas with the tables that contain their sets, by card id. */
export type ModelSource =
  | { kind: 'file'; path: string; content: Uint8Array }
  | { kind: 'canvas'; cards: ModelCard[]; tables: ReadonlyMap<string, SetTable> };

export interface SolveTask {
  source: ModelSource;
  /** Time limit for the solver itself. Reading and explaining take extra time. */
  seconds: number;
  /** Relative gap to the best possible objective at which the solver stops. */
  gap: number;
  memoryMiB: number;
}

/** Data passed to a solver thread. */
export interface SolveThreadTask extends SolveTask {
  compiled: CompiledSolver;
}

/** Reason why a solve has no result. */
export interface SolveFailure {
  code: ModelProblemCode | 'time_limit' | 'out_of_memory' | 'solver_failed';
  /** One-sentence message for users. */
  message: string;
}

/** Outcome of a task. Contains the result as JSON text, so that it is serialized only once. */
export type SolveOutcome =
  /** The search was ended before it found a plan. */
  | { kind: 'ended' }
  | {
      kind: 'solved';
      status: SolveResult['status'];
      json: string;
      tables: ResultTable[];
      /** Members of all indexed variables, read only by the service itself. */
      members?: Uint8Array;
    }
  | { kind: 'failed'; failure: SolveFailure };

/** Progress update from a running solve. */
export type SolveNews =
  | { kind: 'read'; size: ModelSize }
  /** The solver has started. */
  | { kind: 'solves' }
  | { kind: 'explains' }
  | { kind: 'line'; text: string }
  | ({ kind: 'search' } & Search);

/** Message from a solver thread: a progress update, or finally the outcome. */
export type SolveMessage = SolveNews | { kind: 'over'; outcome: SolveOutcome };

export type Solved = Extract<SolveOutcome, { kind: 'solved' }>;
export type Failed = Extract<SolveOutcome, { kind: 'failed' }>;

export const failed = (code: SolveFailure['code'], message: string): Failed => ({
  kind: 'failed',
  failure: { code, message },
});

export const OUT_OF_MEMORY = failed('out_of_memory', 'The model needs more memory than a solve can use');

export const timeLimitReached = (seconds: number): Failed =>
  failed('time_limit', `No values that satisfy all constraints were found in ${seconds} s`);
