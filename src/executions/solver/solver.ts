import { Worker } from 'node:worker_threads';
import {
  failed,
  OUT_OF_MEMORY,
  type SolveMessage,
  type SolveNews,
  type SolveOutcome,
  type SolveTask,
  timeLimitReached,
} from './task.js';

/** Reading, loading the solver and explaining get so long beside the time limit. */
const SPARE_MS = 20_000;
/**
 * So long the solver may go on beyond its time limit while it has no plan that could be lost: it does not look at the clock while it
 * makes a model smaller.
 */
const GRACE_MS = 1_500;
/** JavaScript of a solve, the model and its result, gets by with so much. */
const HEAP_MIB = 1024;

/** Solves each model in its own short-lived thread, so that this thread can keep serving requests. */
export class Solver {
  /** @param entry module that the threads run */
  constructor(readonly entry = new URL('./solve-worker.js', import.meta.url)) {}

  /**
   * Solves, or says why it could not.
   *
   * @param tell hears what there is to tell meanwhile
   * @throws the signal's reason as soon as it aborts; the thread has ended then.
   */
  async solve(task: SolveTask, signal: AbortSignal, tell: (news: SolveNews) => void): Promise<SolveOutcome> {
    signal.throwIfAborted();
    const worker = new Worker(this.entry, {
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
      // The solver's own complaints, beside what it answers.
      stdout: true,
      stderr: true,
      env: {},
    });
    try {
      return await outcomeOf(worker, task.seconds, signal, tell);
    } finally {
      await worker.terminate();
    }
  }
}

function outcomeOf(
  worker: Worker,
  seconds: number,
  signal: AbortSignal,
  tell: (news: SolveNews) => void,
): Promise<SolveOutcome> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    const giveUp = (): void => resolve(timeLimitReached(seconds));
    const patience = setTimeout(giveUp, seconds * 1000 + SPARE_MS);
    let grace: NodeJS.Timeout | undefined;
    signal.addEventListener('abort', abort, { once: true });
    worker.on('message', (message: SolveMessage) => {
      if (message.kind === 'over') {
        resolve(message.outcome);
        return;
      }
      if (message.kind === 'solves') grace = setTimeout(giveUp, seconds * 1000 + GRACE_MS);
      if (message.kind === 'ends' || (message.kind === 'search' && message.incumbent !== null)) clearTimeout(grace);
      tell(message);
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
      clearTimeout(grace);
      signal.removeEventListener('abort', abort);
      resolve(failed('solver_failed', 'The solver ended without a result'));
    });
  });
}
