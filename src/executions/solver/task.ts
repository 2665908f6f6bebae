import type { ModelCard, SetTable } from '../../../packages/canvas/index.js';
import type {
  CompiledSolver,
  ModelProblemCode,
  ModelSize,
  Search,
  SolveResult,
} from '../../../packages/solver/index.js';
import type { ResultTable } from './result-tables.js';

/** What is to be solved: a model file, or the cards of a canvas with the tables that sets stand in, by the ids of their cards. */
export type ModelSource =
  | { kind: 'file'; path: string; content: Uint8Array }
  | { kind: 'canvas'; cards: ModelCard[]; tables: ReadonlyMap<string, SetTable> };

export interface SolveTask {
  source: ModelSource;
  /** For the solver's own work; reading and explaining come on top. */
  seconds: number;
  /** Relative distance to the best possible objective that ends the search. */
  gap: number;
  memoryMiB: number;
}

/** What the thread of a solve is given. */
export interface SolveThreadTask extends SolveTask {
  compiled: CompiledSolver;
}

/** Why a solve has no result. */
export interface SolveFailure {
  code: ModelProblemCode | 'time_limit' | 'out_of_memory' | 'solver_failed';
  /** A sentence for users. */
  message: string;
}

/** Outcome of a task. The result is also given as JSON text, so that it is serialised only once. */
export type SolveOutcome =
  /** The search was ended before there was a plan. */
  | { kind: 'ended' }
  | {
      kind: 'solved';
      status: SolveResult['status'];
      json: string;
      tables: ResultTable[];
      /** The members of all variables with an index, for the service itself. */
      members?: Uint8Array;
    }
  | { kind: 'failed'; failure: SolveFailure };

/** What a solve tells while it runs. */
export type SolveNews =
  | { kind: 'read'; size: ModelSize }
  /** The solver begins. */
  | { kind: 'solves' }
  | { kind: 'explains' }
  | { kind: 'line'; text: string }
  | ({ kind: 'search' } & Search);

/** What the thread of a solve sends: news, and in the end what has come of it. */
export type SolveMessage = SolveNews | { kind: 'over'; outcome: SolveOutcome };

export type Solved = Extract<SolveOutcome, { kind: 'solved' }>;
export type Failed = Extract<SolveOutcome, { kind: 'failed' }>;

export const failed = (code: SolveFailure['code'], message: string): Failed => ({
  kind: 'failed',
  failure: { code, message },
});

export const OUT_OF_MEMORY = failed('out_of_memory', 'The model needs more memory than a solve may have');

export const timeLimitReached = (seconds: number): Failed =>
  failed('time_limit', `No values that satisfy all constraints were found in ${seconds} s`);
