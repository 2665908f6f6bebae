import { Worker } from 'node:worker_threads';
import { type CompiledSolver, compileSolver } from '../../../packages/solver/index.js';
import {
  failed,
  OUT_OF_MEMORY,
  type SolveMessage,
  type SolveNews,
  type SolveOutcome,
  type SolveTask,
  type SolveThreadTask,
  timeLimitReached,
} from './task.js';

/** Reading, loading the solver and explaining get so long beside the time limit. */
const SPARE_MS = 20_000;
/** JavaScript of a solve, the model and its result, gets by with so much. */
const HEAP_MIB = 1024;

/** How a solve is ended before it is done. */
export interface SolveSignals {
  /** Gives the solve up. */
  signal: AbortSignal;
  /** Ends the search; its best plan so far is the result. */
  enough: AbortSignal;
}

/** Solves each model in its own short-lived thread, so that this thread can keep serving requests. */
export class Solver {
  private compiled: Promise<CompiledSolver> | undefined;
  /** Threads whose result is known, until they and their memory are gone, which can take a while. */
  private readonly ending = new Set<Promise<unknown>>();

  /**
   * Solves, or says why it could not.
   *
   * @param tell hears what there is to tell meanwhile
   * @throws the signal's reason as soon as it aborts
   */
  async solve(task: SolveTask, signals: SolveSignals, tell: (news: SolveNews) => void): Promise<SolveOutcome> {
    const workerData: SolveThreadTask = { ...task, compiled: await this.compile() };
    await Promise.all(this.ending);
    signals.signal.throwIfAborted();
    const worker = new Worker(new URL('./solve-worker.js', import.meta.url), {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
      // The solver's own complaints, beside what it answers.
      stdout: true,
      stderr: true,
      env: {},
    });
    try {
      return await outcomeOf(worker, task.seconds, signals, tell);
    } finally {
      // Who waits for the result does not wait for the thread's end, the next solve does.
      const ended = worker.terminate().finally(() => this.ending.delete(ended));
      this.ending.add(ended);
    }
  }

  /** The solver, compiled once; again only when that went wrong. */
  private async compile(): Promise<CompiledSolver> {
    this.compiled ??= compileSolver().catch((error: unknown) => {
      this.compiled = undefined;
      throw error;
    });
    return await this.compiled;
  }
}

function outcomeOf(
  worker: Worker,
  seconds: number,
  { signal, enough }: SolveSignals,
  tell: (news: SolveNews) => void,
): Promise<SolveOutcome> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    const patience = setTimeout(() => resolve(timeLimitReached(seconds)), seconds * 1000 + SPARE_MS);
    signal.addEventListener('abort', abort, { once: true });
    const endSearch = (): void => worker.postMessage(null);
    if (enough.aborted) endSearch();
    else enough.addEventListener('abort', endSearch, { once: true });
    worker.on('message', (message: SolveMessage) => {
      if (message.kind === 'over') resolve(message.outcome);
      else tell(message);
    });
    worker.once('error', (error: Error & { code?: string }) =>
      resolve(
        error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? OUT_OF_MEMORY
          : failed('solver_failed', `The solver failed: ${error.message}`),
      ),
    );
    worker.once('exit', () => {
      clearTimeout(patience);
      signal.removeEventListener('abort', abort);
      enough.removeEventListener('abort', endSearch);
      resolve(failed('solver_failed', 'The solver ended without a result'));
    });
  });
}
