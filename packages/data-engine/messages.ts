import type { Answers, ProblemCode, ProblemPlace, Task } from './tasks.js';

/* Messages between the service and a data engine process. */

export type Order = { id: number; task: Task } | { interrupt: number };

export type Reply =
  | { ready: true }
  /** The required modules are loaded, and the time limit of the task starts. */
  | { started: number }
  | (Outcome & { id: number; needsReplacement: boolean });

/** Result of a task. A process is worn if it keeps so much memory that it should not get another task. */
export type Outcome =
  | { answer: Answers[Task['kind']] }
  | { problem: { code: ProblemCode; sentence: string; place: ProblemPlace } }
  /** The task was interrupted and has stopped. */
  | { interrupted: true }
  | { diskFull: true }
  /** Error text for the log: the required modules cannot be loaded. */
  | { loadError: string }
  /** Error text for the log: a bug or a missing file. */
  | { fault: string };

/** Signal that ends a process which exceeds its memory limit. */
export const MEMORY_SIGNAL = 'SIGUSR2';

/** Memory limits of a process in MiB. `resident` covers DuckDB, the JavaScript heap, the programs and a reserve. */
export const MEMORY_MIB = { duckdb: 512, heap: 512, resident: 1_280, reserved: 3_072, worn: 640 };

/** Returns the path of the unfinished file of a task. The caller that ends a task removes this file. */
export const partialPath = (to: string): string => `${to}.part`;

/** Returns the file that a task writes, or undefined if it does not write a file. */
export const outputPath = (task: Task): string | undefined =>
  task.kind === 'convert' || task.kind === 'columns' ? task.to : task.kind === 'query' ? task.save?.to : undefined;
