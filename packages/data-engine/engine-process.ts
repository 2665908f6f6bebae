import { getPriority, setPriority } from 'node:os';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { DiskWatch } from './disk-watch.js';
import { Interrupted, interruption } from './interruption.js';
import { isDiskFull } from './disk-full.js';
import { outputPath, MEMORY_MIB, type Order, type Outcome, type Reply } from './messages.js';
import { type Answers, type Task, TaskProblem } from './tasks.js';

/*
 * Entry point of a data engine process, which performs a single task at a time. Modules that read files and run queries are
 * loaded by the first task that needs them, so a load error fails only that task and never the service.
 */

/**
 * Niceness of the process, so that requests to the service take priority. With a higher value, queries would time out on a busy
 * machine.
 */
const NICE = 5;

/** Number of bytes that must stay free on the disk. */
const reservedBytes = Number(process.argv[2]);

// A process needs privileges to raise its priority, so the priority is only ever lowered.
if (getPriority() < NICE) setPriority(NICE);
// The service decides when this process ends, but a terminal sends these signals to the whole process group.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
// The process kills itself because a normal exit is not possible while DuckDB threads are running.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
new Worker(new URL('./watch-thread.js', import.meta.url), {
  workerData: process.ppid,
  env: {},
  resourceLimits: { maxOldGenerationSizeMb: 16 },
}).unref();

let hasFailed = false;
// A library may reject a promise after it has returned a result. The process still completes its task and is replaced
// afterwards.
process.on('unhandledRejection', () => {
  hasFailed = true;
});

process.on('message', (order: Order) => {
  if ('task' in order) void perform(order.id, order.task);
  else interruption.request(order.interrupt);
});
send({ ready: true });

async function perform(id: number, task: Task): Promise<void> {
  interruption.begin(id);
  const outputFile = outputPath(task);
  const disk =
    outputFile === undefined
      ? undefined
      : new DiskWatch(dirname(outputFile), reservedBytes, () => interruption.request(id));
  let outcome: Outcome;
  try {
    const work = await load(task).catch((error: unknown) => {
      throw new LoadError(describe(error));
    });
    send({ started: id });
    outcome = { answer: await work() };
  } catch (error) {
    outcome = disk?.isFull === true ? { diskFull: true } : outcomeOf(error);
  } finally {
    disk?.stop();
    interruption.end();
  }
  try {
    send({ ...outcome, id, needsReplacement: needsReplacement() });
  } catch (error) {
    send({ fault: describe(error), id, needsReplacement: true });
  }
  if (usesDatabase(task)) await (await import('./tables/duckdb.js')).prepareDatabase();
}

/** Returns true if a task uses the database that was opened in advance. */
const usesDatabase = ({ kind }: Task): boolean => kind !== 'convert' && kind !== 'text';

const needsReplacement = (): boolean => hasFailed || process.memoryUsage.rss() > MEMORY_MIB.worn * 1024 ** 2;

function outcomeOf(error: unknown): Outcome {
  if (error instanceof TaskProblem)
    return { problem: { code: error.code, sentence: error.message, place: error.place } };
  if (error instanceof Interrupted) return { interrupted: true };
  if (error instanceof LoadError) return { loadError: error.message };
  if (isDiskFull(error)) return { diskFull: true };
  return { fault: describe(error) };
}

/** Thrown if a package that the task needs is missing or was built for another platform. */
class LoadError extends Error {}

async function load(task: Task): Promise<() => Promise<Answers[Task['kind']]>> {
  switch (task.kind) {
    case 'convert': {
      const { convert } = await import('./tables/convert.js');
      return async () => await withAbortSignal((signal) => convert(task, signal));
    }
    case 'read': {
      const { readTableRows } = await import('./tables/read.js');
      return async () => await readTableRows(task);
    }
    case 'query': {
      const { runQuery } = await import('./tables/query.js');
      return async () => await runQuery(task);
    }
    case 'keys': {
      const { checkKeys } = await import('./tables/keys.js');
      return async () => await checkKeys(task);
    }
    case 'columns': {
      const { writeColumns } = await import('./tables/columns.js');
      return async () => await writeColumns(task);
    }
    case 'text': {
      const { documentText } = await import('./documents/text.js');
      return async () => await withAbortSignal((signal) => documentText(task, signal));
    }
  }
}

/** Runs work with a signal that aborts when the task is interrupted. */
async function withAbortSignal<Answer>(work: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
  const controller = new AbortController();
  const unsubscribe = interruption.subscribe(() => controller.abort(new Interrupted()));
  try {
    return await work(controller.signal);
  } finally {
    unsubscribe();
  }
}

/** Maximum length of a fault description. */
const MAX_DESCRIPTION = 4_000;

const describe = (error: unknown): string =>
  (error instanceof Error ? (error.stack ?? error.message) : String(error)).slice(0, MAX_DESCRIPTION);

function send(reply: Reply): void {
  process.send?.(reply);
}
