import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Time in milliseconds that a server has for each type of shutdown. */
export interface ShutdownTimeouts {
  /** Rolls back open transactions and writes all data. */
  fast: number;
  /** Skips writing, so the next start recovers from the log. */
  immediate: number;
}

const KILL_MS = 5_000;

/**
 * Finds the processes of the PostgreSQL server that serves the cluster in `directory` (a real path), including child processes.
 *
 * After a crash, a process id alone proves nothing, because another program may have been given the same id. A server is
 * recognized by its working directory, which is the cluster.
 */
export function findServerProcesses(directory: string): number[] {
  if (process.platform !== 'linux') return findByCommand(directory);
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && isServerProcess(pid, directory));
}

/** Returns whether process `pid` would be in {@link findServerProcesses}. */
export function isServerProcess(pid: number, directory: string): boolean {
  if (process.platform !== 'linux') return findByCommand(directory).includes(pid);
  try {
    return (
      readlinkSync(`/proc/${pid}/cwd`) === directory && readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'postgres'
    );
  } catch {
    // The process has ended, is a zombie, or belongs to another user.
    return false;
  }
}

/** Finds the postmaster by its command line, on systems without /proc. Its child processes change their command lines. */
function findByCommand(directory: string): number[] {
  return execFileSync('ps', ['-axo', 'pid=,command='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(`postgres -D ${directory} `))
    .map((line) => Number.parseInt(line, 10));
}

/**
 * Stops the server that runs on `directory`. Starts with a fast shutdown and increases the force. Resolves when all of the
 * server's processes have ended.
 *
 * @param postmaster the server's first process, if it is still running
 */
export async function endServer(
  directory: string,
  postmaster: number | undefined,
  timeouts: ShutdownTimeouts,
): Promise<void> {
  const first = postmaster === undefined ? [] : [postmaster];
  if (await signalAndWait(directory, first, 'SIGINT', postmaster === undefined ? 0 : timeouts.fast)) return;
  if (await signalAndWait(directory, findServerProcesses(directory), 'SIGQUIT', timeouts.immediate)) return;
  if (await signalAndWait(directory, findServerProcesses(directory), 'SIGKILL', KILL_MS)) return;
  throw new Error(`The processes of ${directory} survived SIGKILL`);
}

async function signalAndWait(
  directory: string,
  pids: number[],
  signal: NodeJS.Signals,
  timeoutMs: number,
): Promise<boolean> {
  for (const pid of pids) if (isServerProcess(pid, directory)) signalProcess(pid, signal);
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    // The postmaster ends last, so the more expensive search is needed only after it has ended.
    if (!pids.some((pid) => isServerProcess(pid, directory)) && findServerProcesses(directory).length === 0)
      return true;
    if (Date.now() >= deadline) return false;
    await sleep(20);
  }
}

/**
 * Script that checks the process name before it sends the signal, because another program may have the process id of a crashed
 * server.
 */
const END_AFTER_INPUT = `
  read -r _
  name=postgres
  [ -e /proc/self ] && read -r name < "/proc/$1/comm"
  [ "$name" = postgres ] && kill -INT "$1"`;

/**
 * Makes the server `pid` end when this process ends for any reason. A shell reads from a pipe that closes when this process
 * ends. Returns a function that cancels this.
 */
export function endWithThisProcess(pid: number): () => void {
  const shell = spawn('/bin/sh', ['-c', END_AFTER_INPUT, 'sh', String(pid)], {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  shell.unref();
  (shell.stdin as Socket).unref();
  return () => void shell.kill('SIGKILL');
}

/** Sends a signal. Has no effect if the process has already ended. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
