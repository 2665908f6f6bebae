import type { ChildProcess } from 'node:child_process';

/** What a process of the service works with; several processes may share one. */
export interface ServiceEnvironment {
  /** Empty: the process brings its own server, with the demo. */
  databaseUrl: string;
  dataDir: string;
  secret: string;
}

/** One line of the service's log. */
export interface LogLine {
  level: number;
  msg: string;
  [key: string]: unknown;
}

export interface Start {
  environment: ServiceEnvironment;
  /** Settings beside the database, the folder and the secret, under the names of the environment variables. */
  settings?: Record<string, string>;
  /** Modules that are loaded before the service, by path. */
  preload?: string[];
  /** Where the whole log is kept. */
  logFolder: string;
}

/** A process that serves. */
export interface Started {
  child: ChildProcess;
  url: string;
  /** The log until now, without what is for debugging; grows. */
  log: LogLine[];
}

export function startProcess(start: Start): Promise<Started>;

/** Asks the process to end, as an operator does; answers its exit code. */
export function stopProcess(child: ChildProcess): Promise<number | null>;

/** What no request may leave in a log. */
export function errorsIn(log: readonly LogLine[]): LogLine[];
