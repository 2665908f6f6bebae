import type { Answers, ProblemCode, ProblemPlace, Task } from './tasks.js';

/* What the service and a process of the data engine tell each other. */

export type Order = { id: number; task: Task } | { interrupt: number };

export type Reply =
  | { ready: true }
  /** What the task needs is loaded: from now on its time counts. */
  | { begun: number }
  | (Outcome & { id: number; isWorn: boolean });

/** What became of a task. A process is worn when it keeps so much memory that it should have no further one. */
export type Outcome =
  | { answer: Answers[Task['kind']] }
  | { problem: { code: ProblemCode; sentence: string; place: ProblemPlace } }
  /** The task was told to stop, and has. */
  | { interrupted: true }
  | { diskFull: true }
  /** What the task needs cannot be loaded; for the log. */
  | { unloadable: string }
  /** A bug, or a file that is gone; for the log. */
  | { fault: string };

/** How a process ends that holds more memory than it may. */
export const MEMORY_SIGNAL = 'SIGUSR2';

/** Most memory that a process may hold: what DuckDB may use, the heap of JavaScript, the programs, and some more. */
export const MEMORY_MIB = { duckdb: 512, heap: 512, resident: 1_280, reserved: 3_072, worn: 640 };

/** Where a task writes until its file is whole; whoever ends the task removes what is left there. */
export const partOf = (to: string): string => `${to}.part`;

/** The file that a task makes; undefined of tasks that make none. */
export const fileOf = (task: Task): string | undefined =>
  task.kind === 'convert' || task.kind === 'columns' ? task.to : task.kind === 'query' ? task.save?.to : undefined;
