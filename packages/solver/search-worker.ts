import { parentPort, workerData } from 'node:worker_threads';
import { loadSolver } from './highs.js';
import { UNDECIDED } from './run.js';
import { runWithin } from './run-within.js';
import type { SearchMessage, SearchTask } from './search.js';

/*
 * Thread for a single search. The solver blocks the thread until the search has ended, but the parent thread can terminate it
 * at any time.
 */

const { arrays, memoryMiB, compiled, ...limits } = workerData as SearchTask;
const { highs, ranOutOfMemory } = await loadSolver(memoryMiB, compiled);
send({ kind: 'begins' });
try {
  const run = runWithin(highs, arrays, limits, {
    line: (text) => send({ kind: 'line', text }),
    search: (search) => send({ kind: 'search', search }),
    plan: (values) => send({ kind: 'plan', values }, [values.buffer]),
  });
  send({ kind: 'over', run });
} catch (error) {
  if (ranOutOfMemory()) send({ kind: 'out_of_memory' });
  else if (arrays.hessian !== undefined && isCrash(error)) send({ kind: 'over', run: UNDECIDED });
  else throw error;
}

/** Whether the solver accessed memory that does not exist. Its code for squares sometimes does. */
function isCrash(error: unknown): boolean {
  return error instanceof Error && error.name === 'RuntimeError';
}

function send(message: SearchMessage, moved: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, moved);
}
