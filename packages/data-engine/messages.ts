import type { Answers, ProblemCode, ProblemPlace, Task } from './tasks.js';

/* Messages between the service and a data engine process. */

export type Order = { id: number; task: Task } | { interrupt: number };

export type Reply =
  | { ready: true }
  /** The required modules are loaded, and the task's time limit starts. */
  | { started: number }
  | (Outcome & { id: number; needsReplacement: boolean });

/** Result of a task. */
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

/** Signal that kills a process when it exceeds its memory limit. */
export const MEMORY_SIGNAL = 'SIGUSR2';

/**
 * Memory limits for a process in MiB. `resident` covers DuckDB, the JavaScript heap, the loaded code and a reserve. A process
 * that uses more than `worn` is replaced after its task.
 */
export const MEMORY_MIB = { duckdb: 512, heap: 512, resident: 1_280, reserved: 3_072, worn: 640 };

/** Returns the path of a task's unfinished output file. A caller that kills the process must remove this file. */
export const partialPath = (to: string): string => `${to}.part`;

/** Returns the file that a task writes, or undefined if it does not write a file. */
export const outputPath = (task: Task): string | undefined =>
  task.kind === 'convert' || task.kind === 'columns' ? task.to : task.kind === 'query' ? task.save?.to : undefined;
