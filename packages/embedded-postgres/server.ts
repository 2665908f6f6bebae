import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Account } from './account.js';
import { EmbeddedPostgresError } from './errors.js';
import { endServer, findServerProcesses, isServerProcess } from './processes.js';

/** Server settings by PostgreSQL name. */
export type Settings = Record<string, string>;

/** Server that accepts connections. */
export interface Server {
  pid: number;
  port: number;
}

/** Maximum start time in milliseconds. It is long because a start after a crash replays the log. */
const START_MS = 300_000;
const PORT_ATTEMPTS = 5;
const SHUTDOWN_TIMEOUTS = { busy: { fast: 30_000, immediate: 5_000 }, silent: { fast: 2_000, immediate: 1_000 } };

/** Parameters for starting a server. */
export interface Launch {
  program: string;
  directory: string;
  account: Account | undefined;
  settings: Settings;
  logFile: string;
}

/**
 * Starts the server on a free port on the loopback interface and waits until the server accepts connections.
 *
 * The server runs in its own session. It therefore does not receive Ctrl-C or the hang-up of a closed terminal before the
 * service has finished its work, and it outlives a killed service.
 */
export async function launchServer(launch: Launch): Promise<Server> {
  await keepPreviousLog(launch.logFile);
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await tryLaunch(launch, await freePort());
    if (typeof outcome !== 'string') return outcome;
    // Another program may have taken the port after it was found to be free.
    if (!outcome.includes('Address already in use') || attempt === PORT_ATTEMPTS) {
      throw new EmbeddedPostgresError(`PostgreSQL did not start (its log is ${launch.logFile}): ${outcome}`);
    }
  }
}

/** Returns the server, or its last output if it failed to start. */
async function tryLaunch(launch: Launch, port: number): Promise<Server | string> {
  const log = await open(launch.logFile, 'a', 0o600);
  const logStart = (await log.stat()).size;
  const settings = { ...launch.settings, port: String(port) };
  try {
    const child = spawn(
      launch.program,
      ['-D', launch.directory, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      {
        ...(launch.account === undefined ? {} : { uid: launch.account.uid, gid: launch.account.gid }),
        cwd: '/',
        env: { LC_ALL: 'C' },
        detached: true,
        stdio: ['ignore', log.fd, log.fd],
      },
    );
    child.unref();
    const ended = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', () => {
        void readFile(launch.logFile).then((text) => {
          resolve(text.subarray(logStart).toString().trim().split('\n').slice(-6).join('\n'));
        });
      });
    });
    const { pid } = child;
    return await Promise.race([ended, ...(pid === undefined ? [] : [untilReady(launch.directory, { pid, port })])]);
  } finally {
    await log.close();
  }
}

async function untilReady(directory: string, server: Server): Promise<Server> {
  const deadline = Date.now() + START_MS;
  while (Date.now() < deadline) {
    const file = await readPidFile(directory);
    if (file?.pid === server.pid && file.status === 'ready') return server;
    // If the server has ended, its exit handler reports more details.
    if (file?.pid === server.pid && !isServerProcess(server.pid, directory)) await sleep(1_000);
    await sleep(15);
  }
  await endServer(directory, server.pid, SHUTDOWN_TIMEOUTS.silent);
  throw new EmbeddedPostgresError(`PostgreSQL was not ready within ${START_MS / 1_000} s.`);
}

/**
 * Handles a server that an earlier owner left running on the cluster. Returns the server if it answers and `acceptable` returns
 * true for it. Otherwise stops it, so that a new server can be started.
 */
export async function adoptServer(
  directory: string,
  urlOf: (port: number) => string,
  acceptable: (server: Server) => boolean,
): Promise<Server | undefined> {
  const processes = findServerProcesses(directory);
  const file = await readPidFile(directory);
  const server = file !== undefined && processes.includes(file.pid) ? { pid: file.pid, port: file.port } : undefined;
  if (processes.length > 0) {
    const answer = server === undefined ? 'none' : await ask(urlOf(server.port));
    if (server !== undefined && answer === 'ready' && acceptable(server)) return server;
    // A server that is busy starting or stopping gets more time than a server that does not answer.
    await endServer(directory, server?.pid, answer === 'none' ? SHUTDOWN_TIMEOUTS.silent : SHUTDOWN_TIMEOUTS.busy);
  }
  // If another program has the process id in this file, PostgreSQL would mistake it for a running server.
  await rm(join(directory, 'postmaster.pid'), { force: true });
  return undefined;
}

async function ask(url: string): Promise<'ready' | 'busy' | 'none'> {
  try {
    await query(url, 'SELECT 1');
    return 'ready';
  } catch (error) {
    return error instanceof pg.DatabaseError ? 'busy' : 'none';
  }
}

/** Creates the database unless it exists. */
export async function ensureDatabase(maintenanceUrl: string, name: string): Promise<void> {
  const { rowCount } = await query(maintenanceUrl, 'SELECT FROM pg_database WHERE datname = $1', [name]);
  if (rowCount === 0) await query(maintenanceUrl, `CREATE DATABASE ${pg.escapeIdentifier(name)}`);
}

async function query(url: string, sql: string, values: unknown[] = []): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 3_000, query_timeout: 30_000 });
  // A broken connection also makes the query fail, and the query's error is handled.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await client.query(sql, values);
  } finally {
    await client.end();
  }
}

/** Reads the status file that PostgreSQL writes into its cluster. */
async function readPidFile(directory: string): Promise<{ pid: number; port: number; status: string } | undefined> {
  try {
    const lines = (await readFile(join(directory, 'postmaster.pid'), 'utf8')).split('\n');
    return { pid: Number(lines[0]), port: Number(lines[3]), status: lines[7]?.trim() ?? '' };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function keepPreviousLog(file: string): Promise<void> {
  await rename(file, `${file}.1`).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
