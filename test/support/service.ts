import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { Client } from './client.js';
import { createDatabase, dropDatabase } from './databases.js';
import { testRun } from './run.js';
import { keepSecret, logFolder } from './secrets.js';
import { type Session, type SessionOptions, signIn } from './session.js';

const START_MS = 30_000;
/** With a database cluster to make before. */
const FIRST_START_MS = 90_000;
const STOP_MS = 25_000;
const INFO_LEVEL = 30;
const ERROR_LEVEL = 50;
/** Settings that are secrets. */
const SECRET_SETTINGS = ['AGENT_API_KEY', 'S3_SECRET_KEY', 'AUTH_JWT_SECRET'];

/** What a process of the service works with; several processes may share one. */
export interface Surroundings {
  /** Empty: the process brings its own server, with the demo. */
  databaseUrl: string;
  dataDir: string;
  secret: string;
}

export interface ServiceOptions {
  /** Those of another service that this one takes over or runs beside; default new ones. */
  surroundings?: Surroundings;
  /** Settings beside those of the surroundings, under the names of the environment variables. */
  settings?: Record<string, string>;
  /** Modules that are loaded before the service, by path. */
  preload?: string[];
}

/** One line of the service's log. */
export interface LogLine {
  level: number;
  msg: string;
  [key: string]: unknown;
}

/** A running process of the built service. */
export class Service {
  private constructor(
    private readonly process: ChildProcess,
    readonly url: string,
    readonly surroundings: Surroundings,
    /** The log until now; grows. */
    readonly log: readonly LogLine[],
  ) {}

  /** Starts `dist/main.js` and waits until it serves. */
  static async start({ surroundings, settings = {}, preload = [] }: ServiceOptions = {}): Promise<Service> {
    const own = surroundings ?? (await makeSurroundings());
    if (own.databaseUrl !== '') keepSecret(new URL(own.databaseUrl).password);
    keepSecret(own.secret, ...SECRET_SETTINGS.map((name) => settings[name]));
    const child = spawn(
      process.execPath,
      [
        ...['test/support/die-with-parent.js', ...preload].flatMap((module) => ['--import', resolve(module)]),
        resolve('dist/main.js'),
      ],
      {
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        env: {
          PATH: process.env['PATH'],
          HOME: process.env['HOME'],
          PORT: '0',
          HOST: '127.0.0.1',
          DATABASE_URL: own.databaseUrl,
          DATA_DIR: own.dataDir,
          AUTH_JWT_SECRET: own.secret,
          // All that a service can be made to tell is searched for secrets when the run ends.
          LOG_LEVEL: 'trace',
          ...settings,
        },
      },
    );
    // A test that forgets its service must not keep Jest from ending; the service ends with Jest.
    child.unref();
    child.channel?.unref();
    const log: LogLine[] = [];
    const url = await ready(child, log, own.databaseUrl === '' ? FIRST_START_MS : START_MS);
    return new Service(child, url, own, log);
  }

  get pid(): number {
    return this.process.pid as number;
  }

  get isAlive(): boolean {
    return this.process.exitCode === null && this.process.signalCode === null;
  }

  /** The exit code, once the process has ended by itself. */
  get ended(): Promise<number | null> {
    return (once(this.process, 'exit') as Promise<[number | null]>).then(([code]) => code);
  }

  /** Somebody signed in; by default a company-level user of a company of its own. */
  session(options?: SessionOptions): Promise<Session> {
    return signIn(this.url, this.surroundings.secret, options);
  }

  /** A caller without credentials. */
  get anonymous(): Client {
    return new Client(this.url);
  }

  /** Asks the process to end, as an operator does; answers its exit code. */
  async stop(): Promise<number | null> {
    if (!this.isAlive) return this.process.exitCode;
    const ended = once(this.process, 'exit') as Promise<[number | null, string | null]>;
    this.process.kill('SIGTERM');
    const patience = setTimeout(() => this.process.kill('SIGKILL'), STOP_MS);
    const [code, signal] = await ended;
    clearTimeout(patience);
    if (signal === 'SIGKILL') throw new Error(`The service did not stop within ${STOP_MS} ms`);
    return code;
  }

  /** Ends the process without any warning to it. */
  async kill(): Promise<void> {
    if (!this.isAlive) return;
    const ended = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await ended;
  }
}

/** Removes the database and the files; no process may use them any more. */
export async function removeSurroundings({ databaseUrl, dataDir }: Surroundings): Promise<void> {
  if (databaseUrl !== '') await dropDatabase(databaseUrl);
  await rm(dataDir, { recursive: true, force: true });
}

/** A new database and a new folder. */
export async function makeSurroundings(): Promise<Surroundings> {
  return {
    databaseUrl: await createDatabase(),
    dataDir: await mkdtemp(join(testRun().directory, 'data-')),
    secret: randomBytes(32).toString('hex'),
  };
}

/** Collects the log and answers the URL of the line that says the service is ready. */
async function ready(child: ChildProcess, log: LogLine[], patienceMs: number): Promise<string> {
  if (child.stdout === null || child.stderr === null) throw new Error('The service has no output to read');
  const complaints = text(child.stderr);
  const file = join(logFolder(), `${child.pid}-${randomBytes(4).toString('hex')}.log`);
  child.stderr.on('data', (said: Buffer) => appendFileSync(file, said));
  return await new Promise((resolve, reject) => {
    const patience = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`The service was not ready within ${patienceMs} ms: ${JSON.stringify(log)}`));
    }, patienceMs);
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      // What the embedded mode tells its user, tokens among it, is no log.
      if (!line.startsWith('{')) return;
      appendFileSync(file, `${line}\n`);
      const entry = JSON.parse(line) as LogLine;
      // What a test looks at; the rest is in the file.
      if (entry.level >= INFO_LEVEL) log.push(entry);
      if (entry.msg === 'ready') {
        clearTimeout(patience);
        resolve(entry['url'] as string);
      }
    });
    child.once('exit', (code) => {
      clearTimeout(patience);
      complaints.then(
        (said) => reject(new Error(`The service ended with code ${code}: ${said} ${JSON.stringify(log)}`)),
        reject,
      );
    });
  });
}

/** The service of a test file: what {@link useService} answers. */
export type TestService = Pick<Service, 'url' | 'pid' | 'log' | 'session' | 'anonymous' | 'surroundings'>;

/**
 * One service for the tests of a file, started before the first and stopped after the last.
 *
 * A file whose service logged an error fails, unless it `expectsErrors`: no request may end in something unforeseen.
 */
export function useService({
  expectsErrors = false,
  ...options
}: ServiceOptions & { expectsErrors?: boolean } = {}): TestService {
  let service: Service | undefined;
  beforeAll(async () => {
    service = await Service.start(options);
  }, START_MS);
  afterAll(async () => {
    if (service === undefined) return;
    const code = await service.stop();
    await removeSurroundings(service.surroundings);
    expect(code).toBe(0);
    if (!expectsErrors) expect(service.log.filter(({ level }) => level >= ERROR_LEVEL)).toEqual([]);
  }, STOP_MS + 10_000);
  const started = (): Service => {
    if (service === undefined) throw new Error('The service is there inside tests and hooks only');
    return service;
  };
  return {
    get url() {
      return started().url;
    },
    get pid() {
      return started().pid;
    },
    get log() {
      return started().log;
    },
    get surroundings() {
      return started().surroundings;
    },
    get anonymous() {
      return started().anonymous;
    },
    session: (session) => started().session(session),
  };
}
