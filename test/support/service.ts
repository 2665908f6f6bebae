import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { Client } from './client.js';
import { createDatabase, dropDatabase } from './databases.js';
import { testRun } from './run.js';
import { keepSecret, logFolder } from './secrets.js';
import { errorsIn, type LogLine, startProcess, stopProcess, type ServiceEnvironment } from './service-process.js';
import { type Session, type SessionOptions, signIn } from './session.js';

const START_MS = 30_000;
const STOP_MS = 25_000;
/** Settings that are secrets. */
const SECRET_SETTINGS = ['AGENT_API_KEY', 'S3_SECRET_KEY', 'AUTH_JWT_SECRET'];

export type { LogLine, ServiceEnvironment };

export interface ServiceOptions {
  /** Those of another service that this one takes over or runs beside; default new ones. */
  environment?: ServiceEnvironment;
  /** Settings beside the database, the folder and the secret, under the names of the environment variables. */
  settings?: Record<string, string>;
  /** Modules that are loaded before the service, by path. */
  preload?: string[];
}

/** A running process of the built service. */
export class Service {
  private constructor(
    private readonly process: ChildProcess,
    readonly url: string,
    readonly environment: ServiceEnvironment,
    /** The log until now; grows. */
    readonly log: readonly LogLine[],
  ) {}

  /** Starts the built service and waits until it serves. */
  static async start({ environment, settings = {}, preload = [] }: ServiceOptions = {}): Promise<Service> {
    const own = environment ?? (await makeEnvironment());
    if (own.databaseUrl !== '') keepSecret(new URL(own.databaseUrl).password);
    keepSecret(own.secret, ...SECRET_SETTINGS.map((name) => settings[name]));
    const { child, url, log } = await startProcess({ environment: own, settings, preload, logFolder: logFolder() });
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
    return signIn(this.url, this.environment.secret, options);
  }

  /** A caller without credentials. */
  get anonymous(): Client {
    return new Client(this.url);
  }

  /** Asks the process to end, as an operator does; answers its exit code. */
  async stop(): Promise<number | null> {
    return await stopProcess(this.process);
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
export async function removeEnvironment({ databaseUrl, dataDir }: ServiceEnvironment): Promise<void> {
  if (databaseUrl !== '') await dropDatabase(databaseUrl);
  await rm(dataDir, { recursive: true, force: true });
}

/** A new database and a new folder. */
export async function makeEnvironment(): Promise<ServiceEnvironment> {
  return {
    databaseUrl: await createDatabase(),
    dataDir: await mkdtemp(join(testRun().directory, 'data-')),
    secret: randomBytes(32).toString('hex'),
  };
}

/** The service of a test file: what {@link useService} answers. */
export type TestService = Pick<Service, 'url' | 'pid' | 'log' | 'session' | 'anonymous' | 'environment'>;

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
    await removeEnvironment(service.environment);
    expect(code).toBe(0);
    if (!expectsErrors) expect(errorsIn(service.log)).toEqual([]);
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
    get environment() {
      return started().environment;
    },
    get anonymous() {
      return started().anonymous;
    },
    session: (session) => started().session(session),
  };
}

/** The service that files share: of what it works with, only what is the same whoever else uses it. */
export type SharedService = Pick<Service, 'url' | 'session' | 'anonymous'> & {
  readonly environment: Pick<ServiceEnvironment, 'databaseUrl' | 'secret'>;
};

/**
 * One service for the tests of all files that need nothing of their own: no settings, no log, no process to look at, no
 * look at all rows of a table. Every session is of another company unless a test says otherwise.
 *
 * The run fails at its end when that service has logged an error.
 */
export function useSharedService(): SharedService {
  return useShared('/all');
}

/**
 * One service for the tests of all files of a process of Jest that need nothing of their own but the process to look at:
 * these files run one after the other. The run fails at its end as with {@link useSharedService}.
 */
export function useServiceInTurn(): SharedService & Pick<Service, 'pid'> {
  return useShared(`/of-${process.env['JEST_WORKER_ID']}`);
}

function useShared(name: string): SharedService & Pick<Service, 'pid'> {
  let shared: Shared | undefined;
  beforeAll(async () => {
    shared = await sharedService(name);
    keepSecret(shared.environment.secret, new URL(shared.environment.databaseUrl).password);
  }, START_MS);
  // Requests to a service that has crashed fail one by one; this says why.
  afterAll(async () => {
    await sharedService(name);
  });
  const started = () => {
    if (shared === undefined) throw new Error('The service is there inside tests and hooks only');
    return shared;
  };
  return {
    get url() {
      return started().url;
    },
    get pid() {
      return started().pid;
    },
    get environment() {
      return started().environment;
    },
    get anonymous() {
      return new Client(started().url);
    },
    session: (session) => signIn(started().url, started().environment.secret, session),
  };
}

type Shared = Pick<Service, 'url' | 'pid' | 'environment'>;

async function sharedService(name: string): Promise<Shared> {
  const response = await fetch(testRun().shared + name, { headers: { connection: 'close' } });
  if (!response.ok) throw new Error(`The shared service is not there: ${await response.text()}`);
  return (await response.json()) as Shared;
}
