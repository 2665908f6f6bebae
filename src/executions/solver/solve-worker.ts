import { parentPort, workerData } from 'node:worker_threads';
import { decodeText } from '../../files/blobs/content.js';
import { readCanvas } from '../../../packages/canvas/index.js';
import {
  checkSize,
  explainRun,
  loadSolver,
  type Model,
  ModelProblem,
  type ModelResult,
  monotonicProgress,
  OutOfMemoryError,
  toPlanResult,
  readLp,
  trivialResult,
  search,
  type SearchTask,
  sizeOf,
  TimeLimitError,
  toArrays,
  UndecidedError,
} from '../../../packages/solver/index.js';
import { memberTable, resultTables } from './result-tables.js';
import {
  failed,
  type ModelSource,
  type SolveMessage,
  OUT_OF_MEMORY,
  type SolveOutcome,
  type SolveThreadTask,
  timeLimitReached,
} from './task.js';

/* Entry point of a thread that runs a single solve. It reads the model, solves it, posts the outcome and exits. */

/** Aborts when the thread receives a message. The only message asks it to end the search and keep the best plan. */
const stopSearch = new AbortController();
parentPort?.once('message', () => stopSearch.abort());

send({ kind: 'over', outcome: await perform(workerData as SolveThreadTask) });

function send(message: SolveMessage): void {
  parentPort?.postMessage(message);
}

async function perform({ source, seconds, ...options }: SolveThreadTask): Promise<SolveOutcome> {
  const startedAt = performance.now();
  try {
    const model = read(source);
    checkSize(model);
    send({ kind: 'read', size: sizeOf(model) });
    send({ kind: 'solves' });
    const { plan, ...result } = trivialResult(model) ?? (await solve(model, { seconds, ...options }));
    const tables = plan === undefined ? [] : resultTables(model, plan);
    const members = plan && memberTable(model, plan);
    const solve_ms = Math.round(performance.now() - startedAt);
    return {
      kind: 'solved',
      status: result.status,
      json: JSON.stringify({ ...result, solve_ms }),
      tables,
      ...(members && { members }),
    };
  } catch (error) {
    if (error instanceof ModelProblem) return failed(error.code, error.message);
    if (error instanceof TimeLimitError)
      return stopSearch.signal.aborted ? { kind: 'ended' } : timeLimitReached(seconds);
    if (error instanceof UndecidedError) return failed('solver_failed', error.message);
    if (error instanceof OutOfMemoryError) return OUT_OF_MEMORY;
    throw error;
  }
}

async function solve(model: Model, limits: Omit<SearchTask, 'arrays'>): Promise<ModelResult> {
  const toProgress = monotonicProgress(model);
  const run = await search(
    { arrays: toArrays(model), ...limits },
    {
      line: (text) => send({ kind: 'line', text }),
      search: (figures) => send({ kind: 'search', ...toProgress(figures) }),
    },
    stopSearch.signal,
  );
  const until = stopSearch.signal.aborted ? 'until the search was stopped' : `in ${limits.seconds} s`;
  const plan = toPlanResult(model, run, until);
  if (plan !== undefined) return plan;
  send({ kind: 'explains' });
  const { highs } = await loadSolver(limits.memoryMiB, limits.compiled);
  return explainRun(highs, model, run);
}

function read(source: ModelSource): Model {
  if (source.kind === 'canvas') return readCanvas(source.cards, source.tables);
  const text = decodeText(Buffer.from(source.content));
  if (text === undefined) throw new ModelProblem('invalid_model', `${source.path} is not UTF-8 text`);
  return readLp(text);
}
