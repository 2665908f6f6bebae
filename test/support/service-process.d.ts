import type { ChildProcess } from 'node:child_process';

/** Resources of a service process. Several processes can share them. */
export interface ServiceEnvironment {
  /** If empty, the process starts an embedded server with the demo. */
  databaseUrl: string;
  dataDir: string;
  secret: string;
}

/** Line of the service's log. */
export interface LogLine {
  level: number;
  msg: string;
  [key: string]: unknown;
}

export interface Start {
  environment: ServiceEnvironment;
  /** Additional settings under their environment variables. Database, folder and secret are already set. */
  settings?: Record<string, string>;
  /** Paths of modules that are loaded before the service. */
  preload?: string[];
  /** Folder for the complete log. */
  logFolder: string;
}

/** Running process of the service. */
export interface Started {
  child: ChildProcess;
  url: string;
  /** Log so far, without debug lines. Later lines are appended. */
  log: LogLine[];
}

export function startProcess(start: Start): Promise<Started>;

/** Stops a process with the signal that an operator would send, and returns its exit code. */
export function stopProcess(child: ChildProcess): Promise<number | null>;

/** Returns the errors in a log. No request may cause an error. */
export function errorsIn(log: readonly LogLine[]): LogLine[];
