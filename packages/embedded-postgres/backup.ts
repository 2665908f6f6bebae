import {
  chmod,
  chown,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  realpath,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Account, chooseAccount } from './account.js';
import { DRAFT_PREFIX } from './cluster.js';
import { startEmbeddedPostgres } from './embedded-postgres.js';
import { EmbeddedPostgresError } from './errors.js';
import { takeOwnership } from './ownership.js';
import { findClusterLocation, makeDataDirectory } from './cluster-location.js';

/** Contents of DATA_DIR that are backed up in addition to the database. All other contents can be recreated. */
const BACKUP_CONTENTS = ['objects', 'jwt-secret', 'dev-tokens.json', 'started-before'];

/**
 * Copies the data of a stopped service to a new folder.
 *
 * @throws EmbeddedPostgresError if the service is running, there is no data, or the folder is not empty
 */
export async function backUp(dataDir: string, folder: string): Promise<void> {
  if (!(await exists(join(dataDir, 'postgres'))))
    throw new EmbeddedPostgresError(`There is no database in ${dataDir}.`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0)
    throw new EmbeddedPostgresError(`${resolve(folder)} is not empty: name a new folder for the backup.`);
  // A killed service may have left a server running. Starting and stopping it completes its crash recovery.
  const server = await startEmbeddedPostgres({ dataDir });
  await server.stop();
  const ownership = await takeOwnership(await realpath(dataDir));
  try {
    await copyContents(dataDir, folder);
    await cp(await realpath(join(dataDir, 'postgres')), join(folder, 'postgres'), { recursive: true });
  } finally {
    await ownership.release();
  }
}

/**
 * Restores a backup to a DATA_DIR without a database. The database is restored last, so an interrupted restore can be repeated.
 *
 * @throws EmbeddedPostgresError if the folder is not a backup, or DATA_DIR already has a database
 */
export async function restore(folder: string, dataDir: string): Promise<void> {
  if (!(await exists(join(folder, 'postgres/PG_VERSION'))))
    throw new EmbeddedPostgresError(`${resolve(folder)} is not a backup: it has no folder postgres with a database.`);
  if (await exists(join(dataDir, 'postgres')))
    throw new EmbeddedPostgresError(`${resolve(dataDir)} has a database: move it away, or set another DATA_DIR.`);
  await makeDataDirectory(resolve(dataDir));
  const path = await realpath(dataDir);
  const ownership = await takeOwnership(path);
  try {
    await copyContents(folder, path);
    const account = await chooseAccount([path]);
    const location = await findClusterLocation(path, account);
    const draft = await mkdtemp(join(location.parent, DRAFT_PREFIX));
    await cp(join(folder, 'postgres'), draft, { recursive: true });
    if (account !== undefined) await changeOwner(account, draft);
    await chmod(draft, 0o700);
    await rename(draft, location.directory);
    if (location.link !== undefined) await symlink(location.directory, location.link);
  } finally {
    await ownership.release();
  }
}

async function copyContents(from: string, to: string): Promise<void> {
  for (const name of BACKUP_CONTENTS) {
    if (!(await exists(join(from, name)))) continue;
    await rm(join(to, name), { recursive: true, force: true });
    await cp(join(from, name), join(to, name), { recursive: true });
  }
}

async function changeOwner(account: Account, path: string): Promise<void> {
  await chown(path, account.uid, account.gid);
  if (!(await stat(path)).isDirectory()) return;
  for (const name of await readdir(path)) await changeOwner(account, join(path, name));
}

const exists = async (path: string): Promise<boolean> =>
  await lstat(path).then(
    () => true,
    () => false,
  );
