import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdtemp, open, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Account, ownerOf } from './account.js';
import type { Binaries } from './binaries.js';
import { EmbeddedPostgresError } from './errors.js';
import type { ClusterLocation } from './cluster-location.js';

/** Superuser of the cluster. The service connects as this user. */
export const SUPERUSER = 'postgres';
/**
 * Name of the password file. It is stored in the cluster, so that the password and the cluster are always created and deleted
 * together.
 */
const PASSWORD_FILE = 'password';
export const DRAFT_PREFIX = 'postgres.new-';

/** Returns the superuser's password. */
export async function readPassword(directory: string): Promise<string> {
  return (await readFile(join(directory, PASSWORD_FILE), 'utf8')).trim();
}

/**
 * Checks that the installed programs and the current user can run the cluster.
 *
 * @throws EmbeddedPostgresError if the cluster has another major version or another owner
 */
export async function checkCluster(directory: string, binaries: Binaries): Promise<void> {
  const owner = await ownerOf(directory);
  const user = process.getuid?.();
  if (user !== undefined && user !== 0 && user !== owner) {
    throw new EmbeddedPostgresError(
      `${directory} belongs to user ${owner}, but this process runs as user ${user}: start it as user ${owner}, or with another DATA_DIR.`,
    );
  }
  const clusterVersion = (await readFile(join(directory, 'PG_VERSION'), 'utf8')).trim();
  const major = binaries.version.split('.')[0];
  if (clusterVersion !== major) {
    throw new EmbeddedPostgresError(
      `${directory} was created by PostgreSQL ${clusterVersion}, but this service uses PostgreSQL ${major}: start with another DATA_DIR and transfer the data with pg_dump, or start the version of this service that created it.`,
    );
  }
}

/**
 * Creates the cluster completely or not at all. The cluster gets its final name only when it is complete. Leftovers from
 * interrupted attempts are removed.
 */
export async function createCluster(
  location: ClusterLocation,
  binaries: Binaries,
  account: Account | undefined,
  options: { durable: boolean },
): Promise<void> {
  await removeDrafts(location.parent);
  const draft = await mkdtemp(join(location.parent, DRAFT_PREFIX));
  const data = join(draft, 'data');
  const passwordFile = join(draft, PASSWORD_FILE);
  await writeFile(passwordFile, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flush: true });
  if (account !== undefined) {
    await chown(draft, account.uid, account.gid);
    await chown(passwordFile, account.uid, account.gid);
  }
  await initdb(binaries.initdb, account, [
    `--pgdata=${data}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    ...(options.durable ? [] : ['--no-sync']),
  ]);
  await rename(passwordFile, join(data, PASSWORD_FILE));
  await rename(data, location.directory);
  await rm(draft, { recursive: true });
  if (location.link !== undefined) await symlink(location.directory, location.link);
  if (options.durable) await syncFolder(location.parent);
}

async function removeDrafts(parent: string): Promise<void> {
  const drafts = (await readdir(parent)).filter((name) => name.startsWith(DRAFT_PREFIX));
  // An initdb process whose parent was killed may still be writing. It fails as soon as its files are gone.
  await Promise.all(drafts.map((name) => rm(join(parent, name), { recursive: true, force: true, maxRetries: 10 })));
}

function initdb(program: string, account: Account | undefined, args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const identity = account === undefined ? {} : { uid: account.uid, gid: account.gid };
    // The environment is empty because the caller's locale, time zone and PG* variables must not affect the cluster. The
    // process is detached so that Ctrl-C in a terminal reaches only the service, which then stops the process in an orderly
    // way.
    const options = { ...identity, cwd: '/', env: { LC_ALL: 'C' }, detached: true };
    const child = execFile(program, args, options, (error, _stdout, stderr) => {
      if (error === null) resolve();
      else
        reject(
          new EmbeddedPostgresError(`PostgreSQL could not create its cluster: ${lastLines(stderr) || error.message}`),
        );
    });
    child.stdin?.end();
  });
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-3).join(' ');
}

/** Flushes renames in `folder` to disk, so that they survive a power failure. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
