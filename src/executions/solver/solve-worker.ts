import { parentPort, workerData } from 'node:worker_threads';
import { readCanvas } from '../../../packages/canvas/index.js';
import {
  byPriority,
  checkSize,
  explainRun,
  loadSolver,
  type Model,
  ModelProblem,
  type ModelResult,
  monotonicProgress,
  OutOfMemoryError,
  toPlanResult,
  readModelFile,
  trivialResult,
  search,
  type Search,
  type SearchTask,
  sizeOf,
  type Stage,
  TimeLimitError,
  toArrays,
  UndecidedError,
  valueOf,
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
  const { stage, run } = await searchByPriority(model, limits);
  const until = stopSearch.signal.aborted ? 'until the search was stopped' : `in ${limits.seconds} s`;
  const plan = toPlanResult(model, run, until);
  if (plan !== undefined) return plan;
  send({ kind: 'explains' });
  const { highs } = await loadSolver(limits.memoryMiB, limits.compiled);
  return explainRun(highs, stage.model, run, stage.start && stage.priority);
}

/** Searches the plan of each priority. All searches share the time limit, and the progress is that of the first priority. */
async function searchByPriority(model: Model, limits: Omit<SearchTask, 'arrays'>) {
  const toProgress = monotonicProgress(model);
  const deadline = performance.now() + limits.seconds * 1000;
  let progress: Search = { incumbent: null, bound: null, nodes: 0 };
  let earlierNodes = 0;
  const report = (figures: Search, { start }: Stage): void => {
    const nodes = earlierNodes + figures.nodes;
    progress = start === undefined ? toProgress(figures) : { ...progress, nodes };
    send({ kind: 'search', ...progress });
  };
  const stages = byPriority(model);
  let next = stages.next();
  while (next.done !== true) {
    const stage = next.value;
    const { priority, model: searched, ...options } = stage;
    const { start } = options;
    if (priority !== undefined) send({ kind: 'line', text: `Searching the best plan for priority ${priority}` });
    const seconds = (deadline - performance.now()) / 1000;
    const run = await search(
      { arrays: toArrays(searched), ...limits, seconds, ...options },
      { line: (text) => send({ kind: 'line', text }), search: (figures) => report(figures, stage) },
      stopSearch.signal,
    );
    earlierNodes = progress.nodes;
    next = stages.next(run);
    if (priority !== undefined && start === undefined && next.done !== true && run.values !== undefined) {
      progress = { ...progress, incumbent: model.constant + valueOf(model.objective, run.values), bound: run.bound };
      send({ kind: 'search', ...progress });
    }
  }
  return next.value;
}

function read(source: ModelSource): Model {
  if (source.kind === 'canvas') return readCanvas(source.cards, source.tables);
  return readModelFile(source.path, source.content);
}
