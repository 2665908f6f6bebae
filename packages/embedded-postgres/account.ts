import { spawn } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { EmbeddedPostgresError } from './errors.js';

/** Operating system user that runs a process. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
}

/** Unprivileged accounts in order of preference. Accounts for PostgreSQL come first. */
const UNPRIVILEGED = ['postgres', '_postgres', 'nobody'];

/**
 * Chooses the user that runs PostgreSQL. Returns undefined for the current user.
 *
 * PostgreSQL refuses to run as root. If the current user is root, the owner of one of `paths` is used, so that an existing
 * cluster keeps its owner. If root owns all of them, an existing unprivileged account is used. Accounts are never created.
 *
 * @throws EmbeddedPostgresError if the current user is root and no unprivileged account exists
 */
export async function chooseAccount(paths: string[]): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = parsePasswd(await readFile('/etc/passwd', 'utf8'));
  for (const path of paths) {
    const owner = await ownerOf(path);
    const account = owner === 0 ? undefined : accounts.find(({ uid }) => uid === owner);
    if (account !== undefined) return account;
  }
  const account = UNPRIVILEGED.flatMap((name) => accounts.filter((candidate) => candidate.name === name))[0];
  if (account === undefined) {
    throw new EmbeddedPostgresError(
      'PostgreSQL does not run as root and this machine has no user "postgres" or "nobody": start as an ordinary user, or set DATABASE_URL.',
    );
  }
  return account;
}

/** Returns the user id that owns a file or folder, or undefined if the path does not exist. */
export async function ownerOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).uid;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Returns true if `account` can enter `folder`. A child process tries to enter it, because file modes alone are not conclusive.
 */
export function canEnter(account: Account, folder: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const { uid, gid } = account;
    const shell = spawn('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], {
      uid,
      gid,
      cwd: '/',
      env: {},
      stdio: 'ignore',
    });
    shell.on('error', reject);
    shell.on('exit', (code) => resolve(code === 0));
  });
}

function parsePasswd(text: string): Account[] {
  return text.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    return name && uid && gid && Number(uid) > 0 ? [{ name, uid: Number(uid), gid: Number(gid) }] : [];
  });
}
