import { Worker } from 'node:worker_threads';
import type { CompiledSolver, ModelArrays } from './highs.js';
import type { Run, RunLimits } from './run.js';
import type { Search, SearchWatch } from './watch.js';

/** Input of a search thread. */
export interface SearchTask extends RunLimits {
  arrays: ModelArrays;
  memoryMiB: number;
  compiled: CompiledSolver;
}

/** Message from a search thread. */
export type SearchMessage =
  /** The solver is loaded. Its time limit counts from here. */
  | { kind: 'begins' }
  | { kind: 'line'; text: string }
  | { kind: 'search'; search: Search }
  | { kind: 'plan'; values: Float64Array<ArrayBuffer> }
  | { kind: 'over'; run: Run }
  | { kind: 'out_of_memory' };

/** Thrown if the solver needs more memory than its limit. */
export class OutOfMemoryError extends Error {}

/**
 * Extra time for the solver to end normally. Some of its phases do not check the clock, which can take many seconds for large
 * models. When this time has passed, the thread is terminated and the best reported plan is used.
 */
const GRACE_MS = 400;
/** JavaScript heap size of the thread. It is small because model arrays and solver memory are outside the heap. */
const HEAP_MIB = 256;

/**
 * Runs the solver in a separate thread, so that this thread can enforce the time limit.
 *
 * @param stopSignal ends the search as if its time limit were reached
 * @param task search task. Its arrays are transferred to the thread and are empty afterwards
 * @throws OutOfMemoryError
 */
export async function search(
  task: SearchTask,
  watch: Omit<SearchWatch, 'plan'>,
  stopSignal: AbortSignal,
): Promise<Run> {
  const worker = new Worker(new URL('./search-worker.js', import.meta.url), {
    workerData: task,
    transferList: buffersOf(task.arrays),
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
    stdout: true,
    stderr: true,
    env: {},
  });
  try {
    return await runOf(worker, task.seconds, watch, stopSignal);
  } finally {
    // Termination can take some time, so it is not awaited.
    void worker.terminate();
  }
}

function runOf(
  worker: Worker,
  seconds: number,
  watch: Omit<SearchWatch, 'plan'>,
  stopSignal: AbortSignal,
): Promise<Run> {
  return new Promise((resolve, reject) => {
    let best: Run = { status: 'time_limit', values: undefined, bound: NaN, prices: undefined };
    let clock: NodeJS.Timeout | undefined;
    if (stopSignal.aborted) resolve(best);
    else stopSignal.addEventListener('abort', () => resolve(best), { once: true });
    worker.on('message', (message: SearchMessage) => {
      switch (message.kind) {
        case 'begins':
          clock = setTimeout(() => resolve(best), seconds * 1000 + GRACE_MS);
          break;
        case 'line':
          watch.line(message.text);
          break;
        case 'search':
          best = { ...best, bound: message.search.bound ?? NaN };
          watch.search(message.search);
          break;
        case 'plan':
          best = { ...best, values: message.values };
          break;
        case 'over':
          resolve(message.run);
          break;
        case 'out_of_memory':
          reject(new OutOfMemoryError());
      }
    });
    worker.once('error', (error: Error & { code?: string }) =>
      reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new OutOfMemoryError() : error),
    );
    worker.once('exit', () => {
      clearTimeout(clock);
      reject(new Error('The solver ended without a result'));
    });
  });
}

const buffersOf = ({ colCost, colLower, colUpper, isWhole, rowLower, rowUpper, ...terms }: ModelArrays) =>
  [colCost, colLower, colUpper, isWhole, rowLower, rowUpper, terms.starts, terms.indices, terms.values].map(
    ({ buffer }) => buffer,
  );
