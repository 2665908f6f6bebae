import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds that a server gets for each way of ending. */
export interface Patience {
  /** Open transactions are rolled back, everything is written. */
  fast: number;
  /** Without writing: the next start recovers from the log. */
  immediate: number;
}

const KILL_MS = 5_000;

/**
 * The processes of the PostgreSQL that serves the cluster in `directory` (a real path), its children included.
 *
 * A process id alone proves nothing after a crash: another program may have it. A server has its cluster as working
 * directory.
 */
export function findServerProcesses(directory: string): number[] {
  if (process.platform !== 'linux') return findByCommand(directory);
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && isServerProcess(pid, directory));
}

/** Whether process `pid` is one of {@link findServerProcesses}. */
export function isServerProcess(pid: number, directory: string): boolean {
  if (process.platform !== 'linux') return findByCommand(directory).includes(pid);
  try {
    return (
      readlinkSync(`/proc/${pid}/cwd`) === directory && readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'postgres'
    );
  } catch {
    // Ended meanwhile, a zombie, or somebody else's.
    return false;
  }
}

/** Without /proc: by command line, which only the postmaster keeps. */
function findByCommand(directory: string): number[] {
  return execFileSync('ps', ['-axo', 'pid=,command='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(`postgres -D ${directory} `))
    .map((line) => Number.parseInt(line, 10));
}

/**
 * Ends the server of `directory`: a fast shutdown, then ever less gently. Resolves when none of its processes is left.
 *
 * @param postmaster its first process, if it still lives.
 */
export async function endServer(directory: string, postmaster: number | undefined, patience: Patience): Promise<void> {
  const first = postmaster === undefined ? [] : [postmaster];
  if (await ends(directory, first, 'SIGINT', postmaster === undefined ? 0 : patience.fast)) return;
  if (await ends(directory, findServerProcesses(directory), 'SIGQUIT', patience.immediate)) return;
  if (await ends(directory, findServerProcesses(directory), 'SIGKILL', KILL_MS)) return;
  throw new Error(`The processes of ${directory} outlived SIGKILL`);
}

async function ends(directory: string, pids: number[], signal: NodeJS.Signals, within: number): Promise<boolean> {
  for (const pid of pids) if (isServerProcess(pid, directory)) signalProcess(pid, signal);
  const deadline = Date.now() + within;
  for (;;) {
    // The postmaster ends last; until then the costlier search is not needed.
    if (!pids.some((pid) => isServerProcess(pid, directory)) && findServerProcesses(directory).length === 0)
      return true;
    if (Date.now() >= deadline) return false;
    await sleep(20);
  }
}

/** The name is looked at again because a server that crashed has left its process id to others. */
const END_AFTER_INPUT = `
  read -r _
  name=postgres
  [ -e /proc/self ] && read -r name < "/proc/$1/comm"
  [ "$name" = postgres ] && kill -INT "$1"`;

/**
 * Makes the server `pid` end when this process does, in whatever way: a shell waits at a pipe that closes with this
 * process. Returns what calls it off.
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

/** Sends a signal; a process that has ended meanwhile needs none. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
