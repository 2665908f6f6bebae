import { createHash } from 'node:crypto';
import { access, chmod, constants, lstat, mkdir, readlink, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Account, canEnter, ownerOf } from './account.js';
import { EmbeddedPostgresError } from './errors.js';

const NAME = 'project-workspace-service';

/** Location of an existing or new cluster. */
export interface ClusterLocation {
  /** Folder that contains the cluster's folder. */
  parent: string;
  /** Folder of the cluster. It may not exist yet. */
  directory: string;
  exists: boolean;
  /** Link from DATA_DIR to the cluster. Set if `parent` is not DATA_DIR. */
  link?: string;
  notes: string[];
}

/**
 * Creates the folder if it is missing. If root creates it, other users can enter but not list it, because PostgreSQL then runs
 * under another account.
 */
export async function makeDataDirectory(path: string): Promise<void> {
  const createdFolder = await mkdir(path, { recursive: true });
  if (createdFolder !== undefined) await chmod(path, process.getuid?.() === 0 ? 0o711 : 0o700);
}

/**
 * Returns the location of the cluster in `dataDir`, or the location for a new cluster. `dataDir` must be a real path.
 *
 * The cluster is the folder `postgres` in `dataDir`. If `account` cannot reach this folder, `postgres` is a link to a folder
 * that it can reach. The link is part of DATA_DIR, so the cluster is found again after DATA_DIR is moved, and is no longer used
 * after DATA_DIR is deleted.
 *
 * @throws EmbeddedPostgresError if an existing cluster cannot be reached
 */
export async function findClusterLocation(dataDir: string, account: Account | undefined): Promise<ClusterLocation> {
  const directory = join(dataDir, 'postgres');
  const entry = await lstat(directory).catch(undefinedIfMissing);
  if (entry?.isSymbolicLink()) {
    const target = await readlink(directory);
    const owner = await ownerOf(target);
    if (owner === undefined) {
      throw new EmbeddedPostgresError(
        `The database of ${dataDir} is missing: ${directory} links to ${target}, which does not exist. Restore it, or remove the link to start with an empty database.`,
      );
    }
    return {
      parent: dirname(target),
      directory: target,
      exists: true,
      link: directory,
      notes: locationNotes(dataDir, target, account),
    };
  }
  if (entry !== undefined) {
    if (account !== undefined && !(await canEnter(account, directory))) {
      throw new EmbeddedPostgresError(`User "${account.name}", the owner of ${directory}, can no longer access it.`);
    }
    return { parent: dataDir, directory, exists: true, notes: [] };
  }
  if (account === undefined || (await canEnter(account, dataDir))) {
    return { parent: dataDir, directory, exists: false, notes: [] };
  }
  const parent = join(await findSharedFolder(account), createHash('sha256').update(dataDir).digest('hex').slice(0, 16));
  await makeOpenFolder(parent);
  const target = join(parent, 'postgres');
  const notes = locationNotes(dataDir, target, account);
  if ((await ownerOf(target)) !== undefined) {
    // The DATA_DIR that linked to this cluster was removed.
    const aside = `${target}.${new Date().toISOString().replaceAll(/[^0-9]/g, '')}`;
    await rename(target, aside);
    notes.push(`An earlier database of ${dataDir} is kept in ${aside}.`);
  }
  return { parent, directory: target, exists: false, link: directory, notes };
}

/**
 * Returns a folder for this service that `account` can reach and only root can change.
 *
 * @throws EmbeddedPostgresError if the machine has no suitable location
 */
export async function findSharedFolder(account: Account): Promise<string> {
  for (const parent of ['/var/lib', '/var/tmp', tmpdir()]) {
    const folder = join(parent, NAME);
    try {
      await makeOpenFolder(folder);
      await access(folder, constants.W_OK);
    } catch (error) {
      if (['ENOENT', 'EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) continue;
      throw error;
    }
    // In a world-writable folder, another user may have created an entry with this name.
    const entry = await lstat(folder);
    const trusted = entry.isDirectory() && entry.uid === 0 && (entry.mode & 0o022) === 0;
    if (trusted && (await canEnter(account, folder))) return folder;
  }
  throw new EmbeddedPostgresError(
    `User "${account.name}", who runs PostgreSQL instead of root, cannot access DATA_DIR or the installed packages, and there is no other suitable folder: set DATA_DIR to a folder that this user can access, or start as an ordinary user.`,
  );
}

/** Creates a folder that other users can enter but neither list nor change. */
async function makeOpenFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
    throw error;
  }
  await chmod(path, 0o711);
}

function locationNotes(dataDir: string, target: string, account: Account | undefined): string[] {
  if (account === undefined) return [];
  return [`PostgreSQL runs as user "${account.name}", who cannot access ${dataDir}, so its data is in ${target}.`];
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
