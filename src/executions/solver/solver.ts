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

/** Time allowed beyond the time limit for reading the model, loading the solver and explaining the result. */
const SPARE_MS = 20_000;
/** Maximum JavaScript heap size of a solver thread, in MiB. Sufficient for the model and its result. */
const HEAP_MIB = 1024;

/** Signals that end a solve early. */
export interface SolveSignals {
  /** Cancels the solve. */
  signal: AbortSignal;
  /** Ends the search and makes the best plan found so far the result. */
  stopSearch: AbortSignal;
}

/** Solves each model in a separate short-lived thread, so that this thread can keep serving requests. */
export class Solver {
  private compiled: Promise<CompiledSolver> | undefined;
  /** Threads that have a result but have not exited yet. They still occupy memory, and freeing it can take a while. */
  private readonly ending = new Set<Promise<unknown>>();

  /**
   * Solves a task and returns its outcome, including failures.
   *
   * @param report receives progress updates
   * @throws the signal's reason as soon as it aborts
   */
  async solve(task: SolveTask, signals: SolveSignals, report: (news: SolveNews) => void): Promise<SolveOutcome> {
    const workerData: SolveThreadTask = { ...task, compiled: await this.compile() };
    await Promise.all(this.ending);
    signals.signal.throwIfAborted();
    const worker = new Worker(new URL('./solve-worker.js', import.meta.url), {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
      // Keeps the solver's own messages out of the service's output.
      stdout: true,
      stderr: true,
      env: {},
    });
    try {
      return await outcomeOf(worker, task.seconds, signals, report);
    } finally {
      // Returns the result before the thread has exited. The next solve waits until then.
      const ended = worker.terminate().finally(() => this.ending.delete(ended));
      this.ending.add(ended);
    }
  }

  /** Returns the compiled solver. Compiles it only once, unless the compilation fails. */
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
  { signal, stopSearch }: SolveSignals,
  report: (news: SolveNews) => void,
): Promise<SolveOutcome> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    const patience = setTimeout(() => resolve(timeLimitReached(seconds)), seconds * 1000 + SPARE_MS);
    signal.addEventListener('abort', abort, { once: true });
    const endSearch = (): void => worker.postMessage(null);
    if (stopSearch.aborted) endSearch();
    else stopSearch.addEventListener('abort', endSearch, { once: true });
    worker.on('message', (message: SolveMessage) => {
      if (message.kind === 'over') resolve(message.outcome);
      else report(message);
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
      stopSearch.removeEventListener('abort', endSearch);
      resolve(failed('solver_failed', 'The solver ended without a result'));
    });
  });
}
