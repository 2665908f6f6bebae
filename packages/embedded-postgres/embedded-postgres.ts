import { readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { chooseAccount } from './account.js';
import { findBinaries } from './binaries.js';
import { checkCluster, createCluster, readPassword, SUPERUSER } from './cluster.js';
import { EmbeddedPostgresError } from './errors.js';
import { type Ownership, takeOwnership } from './ownership.js';
import { findClusterLocation, makeDataDirectory } from './cluster-location.js';
import { endServer, endWithThisProcess, isServerProcess, signalProcess } from './processes.js';
import { adoptServer, ensureDatabase, launchServer, type Server, type Settings } from './server.js';

const HOST = '127.0.0.1';
const WATCH_MS = 1_000;
/** Time in milliseconds that {@link EmbeddedPostgres.stop} waits for each type of shutdown. */
const SHUTDOWN_TIMEOUTS = { fast: 10_000, immediate: 5_000 };

/** File system errors that an operator can fix, because the operator chose the folder. */
const OPERATOR_CODES = new Set([
  'ENOENT',
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOSPC',
  'EDQUOT',
  'ENOTDIR',
  'EEXIST',
  'ENAMETOOLONG',
]);

const SETTINGS: Settings = {
  listen_addresses: HOST,
  unix_socket_directories: '',
  max_connections: '200',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] %q%a ',
};
/** Settings that make the server faster but lose data if the machine crashes. */
const EPHEMERAL_SETTINGS: Settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

export interface EmbeddedPostgresOptions {
  /**
   * Folder for a single service. It is created if it is missing. It contains the cluster in `postgres` and the log in
   * `postgres.log`.
   */
  dataDir: string;
  /** Database for the service. It is created if it is missing. Default: `workspace`. */
  database?: string;
  /** Whether the server is for tests. Such a server does not flush data to disk, and it never outlives this process. */
  ephemeral?: boolean;
}

/** Running PostgreSQL server that this process manages. */
export interface EmbeddedPostgres {
  /** Returns the connection URL for a database, by default the service's database. */
  url(database?: string): string;
  readonly port: number;
  readonly pid: number;
  /** Whether an earlier process started the server and did not stop it. */
  readonly adopted: boolean;
  /** Messages for the operator who starts the service. */
  readonly notes: readonly string[];
  /** Resolves when the server has ended, for any reason. */
  readonly ended: Promise<void>;
  /** Stops the server in bounded time and releases the directory. Repeated calls wait for the same shutdown. */
  stop(): Promise<void>;
}

/** Content of `postgres.json` in the data directory while a server runs. */
interface ServerRecord extends Server {
  host: string;
  user: string;
  database: string;
  directory: string;
  version: string;
  settings: Settings;
}

/**
 * Starts PostgreSQL on the cluster in `dataDir`, and creates the cluster if it is missing. Adopts a server that a killed
 * process left running there.
 *
 * @throws OwnedElsewhereError if a running process uses the same folder
 * @throws EmbeddedPostgresError for other problems that the operator can fix
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  if (process.platform === 'win32') {
    // Windows has no signals, so stopping the server would always be a crash.
    throw new EmbeddedPostgresError('The embedded PostgreSQL runs on Linux and macOS: set DATABASE_URL.');
  }
  const ownerships: Ownership[] = [];
  try {
    await makeDataDirectory(resolve(options.dataDir));
    const dataDir = await realpath(options.dataDir);
    ownerships.push(await takeOwnership(dataDir));
    return await start(dataDir, options, ownerships);
  } catch (error) {
    await releaseAll(ownerships);
    const { code, message } = error as NodeJS.ErrnoException;
    if (!OPERATOR_CODES.has(code ?? '')) throw error;
    throw new EmbeddedPostgresError(`${resolve(options.dataDir)} cannot be used as DATA_DIR: ${message}.`, {
      cause: error,
    });
  }
}

async function start(
  dataDir: string,
  options: EmbeddedPostgresOptions,
  ownerships: Ownership[],
): Promise<EmbeddedPostgres> {
  const { database = 'workspace', ephemeral = false } = options;
  const account = await chooseAccount([join(dataDir, 'postgres'), dataDir]);
  const binaries = await findBinaries(account);
  const location = await findClusterLocation(dataDir, account);
  // A copy of DATA_DIR links to the same cluster, so the cluster's folder is locked as well.
  if (location.link !== undefined) ownerships.push(await takeOwnership(location.parent));
  if (location.exists) await checkCluster(location.directory, binaries);
  else await createCluster(location, binaries, account, { durable: !ephemeral });

  const directory = await realpath(location.directory);
  const password = await readPassword(directory);
  // `sslmode=disable` overrides the PGSSLMODE variable in clients, because this server has no certificate.
  const urlOf = (port: number, name: string) =>
    `postgres://${SUPERUSER}:${password}@${HOST}:${port}/${encodeURIComponent(name)}?sslmode=disable`;
  const recordFile = join(dataDir, 'postgres.json');
  const settings = ephemeral ? { ...SETTINGS, ...EPHEMERAL_SETTINGS } : SETTINGS;
  const about = { host: HOST, user: SUPERUSER, database, directory, version: binaries.version, settings };

  const savedRecord = await readRecord(recordFile);
  const adoptedServer = await adoptServer(
    directory,
    (port) => urlOf(port, 'postgres'),
    ({ pid }) => isSameServer(savedRecord, { ...about, pid }),
  );
  const server =
    adoptedServer ??
    (await launchServer({
      program: binaries.postgres,
      directory,
      account,
      settings,
      logFile: join(dataDir, 'postgres.log'),
    }));

  // If this process exits without calling stop(), it still asks its server to shut down.
  const onExit = () => {
    if (isServerProcess(server.pid, directory)) signalProcess(server.pid, 'SIGINT');
  };
  const unbind = ephemeral ? endWithThisProcess(server.pid) : undefined;
  const stop = async () => {
    await endServer(directory, server.pid, SHUTDOWN_TIMEOUTS);
    unbind?.();
    process.off('exit', onExit);
    await rm(recordFile, { force: true });
    const { link, parent } = location;
    await releaseAll(ownerships);
    if (ephemeral && link !== undefined) {
      await rm(link, { force: true });
      await rm(parent, { recursive: true, force: true });
    }
  };
  process.on('exit', onExit);
  try {
    await ensureDatabase(urlOf(server.port, 'postgres'), database);
    await writeRecord(recordFile, { ...about, ...server });
  } catch (error) {
    await stop();
    throw error;
  }

  let stopping: Promise<void> | undefined;
  return {
    url: (name = database) => urlOf(server.port, name),
    ...server,
    adopted: adoptedServer !== undefined,
    notes: [...binaries.notes, ...location.notes],
    ended: untilEnded(server.pid, directory),
    stop: () => (stopping ??= stop()),
  };
}

/** Resolves when the server has ended. The server is polled because an adopted server is not a child of this process. */
function untilEnded(pid: number, directory: string): Promise<void> {
  return new Promise((resolve) => {
    const watch = setInterval(() => {
      if (isServerProcess(pid, directory)) return;
      clearInterval(watch);
      resolve();
    }, WATCH_MS);
    watch.unref();
  });
}

async function releaseAll(ownerships: Ownership[]): Promise<void> {
  for (const ownership of ownerships.splice(0).reverse()) await ownership.release();
}

/** Returns true if the recorded server has the properties that a new server would have. */
function isSameServer(
  savedRecord: Partial<ServerRecord> | undefined,
  expected: Pick<ServerRecord, 'pid' | 'version' | 'settings'>,
): boolean {
  return (
    savedRecord !== undefined &&
    savedRecord.pid === expected.pid &&
    savedRecord.version === expected.version &&
    JSON.stringify(savedRecord.settings) === JSON.stringify(expected.settings)
  );
}

async function readRecord(file: string): Promise<Partial<ServerRecord> | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Partial<ServerRecord>;
  } catch (error) {
    // A missing or truncated record means that a new server is started.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function writeRecord(file: string, record: ServerRecord): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}
