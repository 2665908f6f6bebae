import { readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { chooseAccount } from './account.js';
import { findBinaries } from './binaries.js';
import { checkCluster, createCluster, readPassword, SUPERUSER } from './cluster.js';
import { EmbeddedPostgresError } from './errors.js';
import { type Ownership, takeOwnership } from './ownership.js';
import { findPlace, makeDataDirectory } from './places.js';
import { endServer, endWithThisProcess, isServerProcess, signalProcess } from './processes.js';
import { adoptServer, ensureDatabase, launchServer, type Server, type Settings } from './server.js';

const HOST = '127.0.0.1';
const WATCH_MS = 1_000;
/** What {@link EmbeddedPostgres.stop} waits for each way of stopping. */
const PATIENCE = { fast: 10_000, immediate: 5_000 };

/** Errors of the file system that whoever chose the folder can help, and the code cannot. */
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
/** Fast, and lost with the machine. */
const EPHEMERAL_SETTINGS: Settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

export interface EmbeddedPostgresOptions {
  /** Folder that belongs to one service; made when absent. The cluster is `postgres` in it, the log `postgres.log`. */
  dataDir: string;
  /** The service's database, created when absent. Default: `workspace`. */
  database?: string;
  /** For tests: nothing is forced to disk, and the server never outlives this process. */
  ephemeral?: boolean;
}

/** A running PostgreSQL of this process. */
export interface EmbeddedPostgres {
  /** Connection URL of a database, by default the service's. */
  url(database?: string): string;
  readonly port: number;
  readonly pid: number;
  /** Whether the server was still running from an earlier process that did not stop it. */
  readonly adopted: boolean;
  /** What the person who starts the service should know, a sentence each. */
  readonly notes: readonly string[];
  /** Resolves when the server has ended, stopped or not. */
  readonly ended: Promise<void>;
  /** Ends the server in bounded time and gives the directory up. Calling it again waits for the same end. */
  stop(): Promise<void>;
}

/** What `postgres.json` in the data directory says while a server runs. */
interface ServerRecord extends Server {
  host: string;
  user: string;
  database: string;
  directory: string;
  version: string;
  settings: Settings;
}

/**
 * Starts PostgreSQL on the cluster in `dataDir`, which is made first when absent, or takes over the server that a
 * killed process left running there.
 *
 * @throws OwnedElsewhereError when a living process serves from the same folder.
 * @throws EmbeddedPostgresError for everything else that the person who starts the service can do something about.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  if (process.platform === 'win32') {
    // Without signals every stop would be a crash.
    throw new EmbeddedPostgresError('The embedded PostgreSQL runs on Linux and macOS: set DATABASE_URL.');
  }
  const held: Ownership[] = [];
  try {
    await makeDataDirectory(resolve(options.dataDir));
    const dataDir = await realpath(options.dataDir);
    held.push(await takeOwnership(dataDir));
    return await start(dataDir, options, held);
  } catch (error) {
    await releaseAll(held);
    const { code, message } = error as NodeJS.ErrnoException;
    if (!OPERATOR_CODES.has(code ?? '')) throw error;
    throw new EmbeddedPostgresError(`${resolve(options.dataDir)} does not serve as DATA_DIR: ${message}.`, {
      cause: error,
    });
  }
}

async function start(dataDir: string, options: EmbeddedPostgresOptions, held: Ownership[]): Promise<EmbeddedPostgres> {
  const { database = 'workspace', ephemeral = false } = options;
  const account = await chooseAccount([join(dataDir, 'postgres'), dataDir]);
  const binaries = await findBinaries(account);
  const place = await findPlace(dataDir, account);
  // A copy of DATA_DIR leads to the same place.
  if (place.link !== undefined) held.push(await takeOwnership(place.parent));
  if (place.exists) await checkCluster(place.directory, binaries);
  else await createCluster(place, binaries, account, { durable: !ephemeral });

  const directory = await realpath(place.directory);
  const password = await readPassword(directory);
  // Says `disable` because clients otherwise follow PGSSLMODE of the environment, and this server has no certificate.
  const urlOf = (port: number, name: string) =>
    `postgres://${SUPERUSER}:${password}@${HOST}:${port}/${encodeURIComponent(name)}?sslmode=disable`;
  const recordFile = join(dataDir, 'postgres.json');
  const settings = ephemeral ? { ...SETTINGS, ...EPHEMERAL_SETTINGS } : SETTINGS;
  const about = { host: HOST, user: SUPERUSER, database, directory, version: binaries.version, settings };

  const known = await readRecord(recordFile);
  const leftRunning = await adoptServer(
    directory,
    (port) => urlOf(port, 'postgres'),
    ({ pid }) => isSame(known, { ...about, pid }),
  );
  const server =
    leftRunning ??
    (await launchServer({
      program: binaries.postgres,
      directory,
      account,
      settings,
      logFile: join(dataDir, 'postgres.log'),
    }));

  // A process that ends without stop() still ends its server, as far as it can.
  const onExit = () => {
    if (isServerProcess(server.pid, directory)) signalProcess(server.pid, 'SIGINT');
  };
  const unbind = ephemeral ? endWithThisProcess(server.pid) : undefined;
  const stop = async () => {
    await endServer(directory, server.pid, PATIENCE);
    unbind?.();
    process.off('exit', onExit);
    await rm(recordFile, { force: true });
    const { link, parent } = place;
    await releaseAll(held);
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
    adopted: leftRunning !== undefined,
    notes: [...binaries.notes, ...place.notes],
    ended: untilEnded(server.pid, directory),
    stop: () => (stopping ??= stop()),
  };
}

/** An adopted server is no child of this process, so nothing tells of its end: it is looked at. */
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

async function releaseAll(held: Ownership[]): Promise<void> {
  for (const ownership of held.splice(0).reverse()) await ownership.release();
}

/** Whether the server on record is the one that a start would make now. */
function isSame(
  known: Partial<ServerRecord> | undefined,
  wanted: Pick<ServerRecord, 'pid' | 'version' | 'settings'>,
): boolean {
  return (
    known !== undefined &&
    known.pid === wanted.pid &&
    known.version === wanted.version &&
    JSON.stringify(known.settings) === JSON.stringify(wanted.settings)
  );
}

async function readRecord(file: string): Promise<Partial<ServerRecord> | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Partial<ServerRecord>;
  } catch (error) {
    // Absent or cut short: the server it would tell of is then started anew.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function writeRecord(file: string, record: ServerRecord): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}
