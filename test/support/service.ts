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
/** Settings that contain secrets. */
const SECRET_SETTINGS = ['AGENT_API_KEY', 'S3_SECRET_KEY', 'AUTH_JWT_SECRET'];

export type { LogLine, ServiceEnvironment };

export interface ServiceOptions {
  /** Resources of another service, to take over or share. Defaults to new resources. */
  environment?: ServiceEnvironment;
  /** Additional settings by environment variable. The database, the folder and the secret are already set. */
  settings?: Record<string, string>;
  /** Paths of modules that are loaded before the service. */
  preload?: string[];
}

/** Running instance of the built service. */
export class Service {
  private constructor(
    private readonly process: ChildProcess,
    readonly url: string,
    readonly environment: ServiceEnvironment,
    /** Log so far. Later lines are added. */
    readonly log: readonly LogLine[],
  ) {}

  /** Starts the built service and waits until it is ready. */
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

  /** Resolves to the exit code when the process ends. */
  get ended(): Promise<number | null> {
    return (once(this.process, 'exit') as Promise<[number | null]>).then(([code]) => code);
  }

  /** Signs in. Defaults to a company-level user in a new company. */
  session(options?: SessionOptions): Promise<Session> {
    return signIn(this.url, this.environment.secret, options);
  }

  /** Client without credentials. */
  get anonymous(): Client {
    return new Client(this.url);
  }

  /** Stops the process with the same signal as an operator would send, and returns its exit code. */
  async stop(): Promise<number | null> {
    return await stopProcess(this.process);
  }

  /** Kills the process without warning. */
  async kill(): Promise<void> {
    if (!this.isAlive) return;
    const ended = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await ended;
  }
}

/** Removes the database and the files. No process may still be using them. */
export async function removeEnvironment({ databaseUrl, dataDir }: ServiceEnvironment): Promise<void> {
  if (databaseUrl !== '') await dropDatabase(databaseUrl);
  await rm(dataDir, { recursive: true, force: true });
}

/** Creates a new database and a new folder. */
export async function makeEnvironment(): Promise<ServiceEnvironment> {
  return {
    databaseUrl: await createDatabase(),
    dataDir: await mkdtemp(join(testRun().directory, 'data-')),
    secret: randomBytes(32).toString('hex'),
  };
}

/** Service for a test file, as returned by {@link useService}. */
export type TestService = Pick<Service, 'url' | 'pid' | 'log' | 'session' | 'anonymous' | 'environment'>;

/**
 * Provides a service to the tests of a file. It is started before the first test and stopped after the last test.
 *
 * If the service logs an error, the tests fail, because no request may cause an unexpected error. `expectsErrors` turns
 * this check off.
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

/** Service shared by several files. Exposes only properties that do not depend on the service's other users. */
export type SharedService = Pick<Service, 'url' | 'session' | 'anonymous'> & {
  readonly environment: Pick<ServiceEnvironment, 'databaseUrl' | 'secret'>;
};

/**
 * Provides a service that all files share, for tests without special settings. These tests must not check logs, the
 * process, or all rows of a table. Every session belongs to a new company unless a test requests a specific company.
 *
 * If the service has logged an error, the run fails at its end.
 */
export function useSharedService(): SharedService {
  return useShared('/all');
}

/**
 * Provides a service shared by all files of a Jest process, for tests whose only special need is to check the process.
 * These files run one after another. As with {@link useSharedService}, the run fails at its end if the service has
 * logged an error.
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
  // If the service has crashed, each request fails without a reason. This request then reports the reason.
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
