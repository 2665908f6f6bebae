import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, jest } from '@jest/globals';
import type { NestExpressApplication } from '@nestjs/platform-express';
import pg from 'pg';
import { Agent, type AgentContext, type AgentEvent, type AgentOutput } from '../../src/agent/agent.js';
import { Config } from '../../src/config/config.js';
import { createApp } from '../../src/configure-app.js';
import { createLogger } from '../../src/common/logging/logger.js';
import { makeEnvironment, removeEnvironment, type ServiceEnvironment } from './service.js';
import { type Session, type SessionOptions, signIn } from './session.js';

/** The agent's actions in a turn, in place of the configured agent. */
export type Script = (context: AgentContext) => AsyncIterable<AgentOutput>;

/** Returns a text event from the agent. */
export const say = (text: string): AgentEvent => ({ type: 'text', text });

/** Promise that the test resolves. */
export class Gate {
  open!: () => void;
  readonly passed = new Promise<void>((resolve) => {
    this.open = resolve;
  });
}

/** Returns an agent that says `One` immediately and ` two.` after the gate opens. */
export const twoParts = (middle: Gate): Script =>
  async function* () {
    yield say('One');
    await middle.passed;
    yield say(' two.');
  };

/** Creates gates that open when their test ends, so that no agent waits forever. */
export function useGates(): () => Gate {
  const gates: Gate[] = [];
  afterEach(() => {
    for (const { open } of gates.splice(0)) open();
  });
  return () => {
    const gate = new Gate();
    gates.push(gate);
    return gate;
  };
}

const HOOK_MS = 30_000;

/**
 * Service inside the test process, so that the test controls the agent's actions and their timing. Everything else
 * works as in production. Several services can share a database.
 */
export class ScriptedService {
  private constructor(
    readonly app: NestExpressApplication,
    readonly url: string,
    private readonly environment: ServiceEnvironment,
  ) {}

  static async start(
    environment: ServiceEnvironment,
    script: Script,
    role: Config['ROLE'] = 'all',
    onPort = 0,
  ): Promise<ScriptedService> {
    const { databaseUrl, dataDir, secret } = environment;
    const settings = { DATABASE_URL: databaseUrl, DATA_DIR: dataDir, AUTH_JWT_SECRET: secret, ROLE: role };
    const config = Object.assign(new Config(), settings);
    const app = await createApp({ config, logger: createLogger('silent'), databaseUrl });
    jest.spyOn(app.get(Agent), 'run').mockImplementation(script);
    await app.listen(onPort, '127.0.0.1');
    const { port } = app.getHttpServer().address() as AddressInfo;
    return new ScriptedService(app, `http://127.0.0.1:${port}`, environment);
  }

  session(options?: SessionOptions): Promise<Session> {
    return signIn(this.url, this.environment.secret, options);
  }

  async stop(): Promise<void> {
    await this.app.close();
  }
}

/** Scripted service for a test file, with a connection to its database. */
export type TestScriptedService = Pick<ScriptedService, 'app' | 'url' | 'session'> & { readonly database: pg.Client };

/** Provides a scripted service to the tests of a file. Starts it before the first test and stops it after the last. */
export function useScriptedService(script: Script): TestScriptedService {
  let running: { environment: ServiceEnvironment; service: ScriptedService; database: pg.Client } | undefined;
  beforeAll(async () => {
    const environment = await makeEnvironment();
    const service = await ScriptedService.start(environment, script);
    const database = new pg.Client(environment.databaseUrl);
    await database.connect();
    running = { environment, service, database };
  }, HOOK_MS);
  afterAll(async () => {
    if (running === undefined) return;
    await running.service.stop();
    await running.database.end();
    await removeEnvironment(running.environment);
  }, HOOK_MS);
  const started = () => {
    if (running === undefined) throw new Error('The service is there inside tests and hooks only');
    return running;
  };
  return {
    get app() {
      return started().service.app;
    },
    get url() {
      return started().service.url;
    },
    get database() {
      return started().database;
    },
    session: (session) => started().service.session(session),
  };
}
