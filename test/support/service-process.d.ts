import type { ChildProcess } from 'node:child_process';

/** Resources for a service process. Several processes can share them. */
export interface ServiceEnvironment {
  /** If this URL is empty, the process starts an embedded server with demo data. */
  databaseUrl: string;
  dataDir: string;
  secret: string;
}

/** Entry of the service log. */
export interface LogLine {
  level: number;
  msg: string;
  [key: string]: unknown;
}

export interface Start {
  environment: ServiceEnvironment;
  /** Additional settings by environment variable. The database, the folder and the secret are already set. */
  settings?: Record<string, string>;
  /** Paths of modules that are loaded before the service. */
  preload?: string[];
  /** Folder for the complete log. */
  logFolder: string;
}

/** Running service process. */
export interface Started {
  child: ChildProcess;
  url: string;
  /** Log so far, without debug lines. Later lines are added. */
  log: LogLine[];
}

export function startProcess(start: Start): Promise<Started>;

/** Stops a process with the same signal as an operator would send, and returns its exit code. */
export function stopProcess(child: ChildProcess): Promise<number | null>;

/** Returns the errors in a log. Requests must not cause errors. */
export function errorsIn(log: readonly LogLine[]): LogLine[];
