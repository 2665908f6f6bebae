import { Worker } from 'node:worker_threads';
import type { CompiledSolver, ModelArrays } from './highs.js';
import type { Run, RunLimits } from './run.js';
import type { Search, SearchWatch } from './watch.js';

/** What the thread of a search is given. */
export interface SearchTask extends RunLimits {
  arrays: ModelArrays;
  memoryMiB: number;
  compiled: CompiledSolver;
}

/** What it sends. */
export type SearchMessage =
  /** The solver is loaded: its time begins. */
  | { kind: 'begins' }
  | { kind: 'line'; text: string }
  | { kind: 'search'; search: Search }
  | { kind: 'plan'; values: Float64Array<ArrayBuffer> }
  | { kind: 'over'; run: Run }
  | { kind: 'out_of_memory' };

/** The solver needs more memory than it may have. */
export class OutOfMemory extends Error {}

/**
 * The solver does not look at the clock in all of its parts, which can take many seconds for large models. So long it may come to
 * its own end, then its thread is ended, and what counts is the best plan that it has told of.
 */
const GRACE_MS = 400;
/** JavaScript of the thread: next to nothing, as the arrays of a model and the solver's memory are outside of it. */
const HEAP_MIB = 256;

/**
 * Runs the solver in a thread of its own, so that this one can keep the time.
 *
 * @param enough ends the search: the run is as at its time limit
 * @param task whose arrays are moved to the thread: they are empty afterwards
 * @throws OutOfMemory
 */
export async function search(task: SearchTask, watch: Omit<SearchWatch, 'plan'>, enough: AbortSignal): Promise<Run> {
  const worker = new Worker(new URL('./search-worker.js', import.meta.url), {
    workerData: task,
    transferList: buffersOf(task.arrays),
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
    stdout: true,
    stderr: true,
    env: {},
  });
  try {
    return await runOf(worker, task.seconds, watch, enough);
  } finally {
    // Nothing waits for its end, which can take a while.
    void worker.terminate();
  }
}

function runOf(worker: Worker, seconds: number, watch: Omit<SearchWatch, 'plan'>, enough: AbortSignal): Promise<Run> {
  return new Promise((resolve, reject) => {
    let best: Run = { status: 'time_limit', values: undefined, bound: NaN, prices: undefined };
    let clock: NodeJS.Timeout | undefined;
    if (enough.aborted) resolve(best);
    else enough.addEventListener('abort', () => resolve(best), { once: true });
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
          reject(new OutOfMemory());
      }
    });
    worker.once('error', (error: Error & { code?: string }) =>
      reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new OutOfMemory() : error),
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
