import { spawn } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { EmbeddedPostgresError } from './errors.js';

/** An operating system user that a process is started as. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
}

/** Accounts made for the purpose, then the one that owns nothing. */
const UNPRIVILEGED = ['postgres', '_postgres', 'nobody'];

/**
 * The user to run PostgreSQL as: `undefined` for the present one.
 *
 * PostgreSQL refuses to run as root. In place of root comes the owner of one of `paths` (an existing cluster stays with
 * its owner), else an unprivileged account that the machine already has; none is created.
 *
 * @throws EmbeddedPostgresError when root's machine has no such account.
 */
export async function chooseAccount(paths: string[]): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = parsePasswd(await readFile('/etc/passwd', 'utf8'));
  for (const path of paths) {
    const owner = await ownerOf(path);
    const account = owner === 0 ? undefined : accounts.find(({ uid }) => uid === owner);
    if (account !== undefined) return account;
  }
  const account = UNPRIVILEGED.flatMap((name) => accounts.filter((known) => known.name === name))[0];
  if (account === undefined) {
    throw new EmbeddedPostgresError(
      'PostgreSQL does not run as root and this machine has no user "postgres" or "nobody": start as an ordinary user, or set DATABASE_URL.',
    );
  }
  return account;
}

/** The user id that a file or folder belongs to; `undefined` when it does not exist. */
export async function ownerOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).uid;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Whether `account` can enter `folder`, found out by entering it: modes alone do not tell. */
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
