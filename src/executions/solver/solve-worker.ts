import { parentPort, workerData } from 'node:worker_threads';
import { decodeText } from '../../files/blobs/content.js';
import { readCanvas } from '../model/canvas-reader.js';
import { readLp } from '../model/lp-reader.js';
import { checkSize, type Model, ModelProblem, sizeOf } from '../model/model.js';
import { loadSolver } from './highs.js';
import { memberTable, resultTables } from './result-tables.js';
import { solveModel, TimeLimitReached, Undecided } from './solve-model.js';
import {
  failed,
  type ModelSource,
  type SolveMessage,
  OUT_OF_MEMORY,
  type SolveOutcome,
  type SolveTask,
  timeLimitReached,
  UNDECIDED,
} from './task.js';
import { neverWorse, type Watch } from './watch.js';

/* The thread of one solve: reads the model, solves it, says what came of it, and ends. */

send({ kind: 'over', outcome: await perform(workerData as SolveTask) });

function send(message: SolveMessage): void {
  parentPort?.postMessage(message);
}

async function perform({ source, seconds, gap, memoryMiB }: SolveTask): Promise<SolveOutcome> {
  const startedAt = performance.now();
  let wasRefusedMemory = (): boolean => false;
  try {
    const model = read(source);
    checkSize(model);
    send({ kind: 'read', size: sizeOf(model) });
    const solver = await loadSolver(memoryMiB);
    ({ wasRefusedMemory } = solver);
    send({ kind: 'solves' });
    const { plan, ...result } = solveModel(solver.highs, model, seconds, { gap, watch: watchOf(model) });
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
    if (error instanceof TimeLimitReached) return timeLimitReached(seconds);
    if (error instanceof Undecided) return UNDECIDED;
    if (wasRefusedMemory()) return OUT_OF_MEMORY;
    throw error;
  }
}

function watchOf(model: Model): Watch {
  const known = neverWorse(model);
  return {
    ends: () => send({ kind: 'ends' }),
    explains: () => send({ kind: 'explains' }),
    line: (text) => send({ kind: 'line', text }),
    search: (search) => send({ kind: 'search', ...known(search) }),
  };
}

function read(source: ModelSource): Model {
  if (source.kind === 'canvas') return readCanvas(source.cards, source.tables);
  const text = decodeText(Buffer.from(source.content));
  if (text === undefined) throw new ModelProblem('invalid_model', `${source.path} is no text in UTF-8`);
  return readLp(text);
}
