import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { SignJWT } from 'jose';

const MAIN = join(import.meta.dirname, '../dist/src/main.js');
const FLOOR = join(import.meta.dirname, 'floor.mjs');
const FIGURES = 'figures.js';

/** Resources shared by all processes of a run. */
export const environment = { databaseUrl: '', dataDir: '', secret: '' };

/**
 * Creates a temporary folder. If root starts the run, PostgreSQL runs as another user, so this folder must be accessible to
 * other users.
 */
export async function makeFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  await chmod(folder, 0o711);
  return folder;
}

/** Process with an HTTP server. */
export class Served {
  constructor(process, url) {
    this.process = process;
    this.url = url;
  }

  /** Returns the report of figures.js: processor time and memory. */
  async figures() {
    const answered = once(this.process, 'message');
    this.process.send('figures');
    const [figures] = await answered;
    return figures;
  }

  async stop() {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = once(this.process, 'exit');
    this.process.kill();
    await ended;
  }
}

/**
 * Starts the built service without modifications. It uses its own embedded database unless the settings specify another
 * database.
 */
export const launchMain = async (settings) => await launch([MAIN], settings);

/** Starts the built service on the run's database. The modules in `preload` are loaded first. */
export async function startService({ settings = {}, preload = [], flags = [] } = {}) {
  return await launch([...flags, ...imports(FIGURES, ...preload), MAIN], {
    PORT: '0',
    HOST: '127.0.0.1',
    DATABASE_URL: environment.databaseUrl,
    DATA_DIR: environment.dataDir,
    AUTH_JWT_SECRET: environment.secret,
    ...settings,
  });
}

export async function startFloor(token) {
  return await launch([...imports(FIGURES), FLOOR], { DATABASE_URL: environment.databaseUrl, FLOOR_TOKEN: token });
}

const imports = (...names) => names.flatMap((name) => ['--import', join(import.meta.dirname, name)]);

/** Starts a Node program and waits for its log line `{"msg": "ready", "url": ...}`. */
export async function launch(args, env) {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
  });
  const url = await new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${args.at(-1)} ended with code ${code}`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const entry = line.startsWith('{') ? JSON.parse(line) : {};
      if (entry.msg === 'ready') resolve(entry.url);
      else if (entry.level >= 50) console.error(line);
    });
  });
  return new Served(child, url);
}

/** Returns a bearer token for a user. The user has the role `company` by default. */
export async function signToken(company_id, user, { role = 'company', secret = environment.secret, picture } = {}) {
  return await new SignJWT({ company_id, role, name: user, email: `${user}@example.com`, picture })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(user)
    .setExpirationTime('12h')
    .sign(Buffer.from(secret));
}
