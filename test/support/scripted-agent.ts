import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { jest } from '@jest/globals';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Agent, type AgentContext, type AgentOutput } from '../../src/agent/agent.js';
import { Config } from '../../src/config/config.js';
import { createApp } from '../../src/configure-app.js';
import { Solver } from '../../src/executions/solver/solver.js';
import { createLogger } from '../../src/platform/logging/logger.js';
import { createDatabase } from './database.js';
import { testRun } from './run.js';
import type { Surroundings } from './service.js';
import { type Session, type SessionOptions, signIn } from './session.js';

/** What the agent does in a turn, in place of the one that is configured. */
export type Script = (context: AgentContext) => AsyncIterable<AgentOutput>;

/** Something to wait for until the test says so. */
export class Gate {
  open!: () => void;
  readonly passed = new Promise<void>((resolve) => {
    this.open = resolve;
  });
}

/** The database and the folder of processes that belong together. */
export async function makeSurroundings(): Promise<Surroundings> {
  return {
    databaseUrl: await createDatabase(),
    dataDir: await mkdtemp(join(testRun().directory, 'data-')),
    secret: randomBytes(32).toString('hex'),
  };
}

/**
 * The service inside the test's own process, so that the test decides what the agent does and when. Everything else is
 * as it is in production, and several may share one database.
 */
export class ScriptedService {
  private constructor(
    readonly app: NestExpressApplication,
    readonly url: string,
    private readonly surroundings: Surroundings,
  ) {}

  static async start(
    surroundings: Surroundings,
    script: Script,
    role: Config['ROLE'] = 'all',
    onPort = 0,
  ): Promise<ScriptedService> {
    const { databaseUrl, dataDir, secret } = surroundings;
    const settings = { DATABASE_URL: databaseUrl, DATA_DIR: dataDir, AUTH_JWT_SECRET: secret, ROLE: role };
    const config = Object.assign(new Config(), settings);
    const app = await createApp({ config, logger: createLogger('silent'), databaseUrl });
    jest.spyOn(app.get(Agent), 'run').mockImplementation(script);
    // Threads run what was built: they know nothing of Jest.
    jest.replaceProperty(app.get(Solver), 'entry', pathToFileURL(resolve('dist/executions/solver/solve-worker.js')));
    await app.listen(onPort, '127.0.0.1');
    const { port } = app.getHttpServer().address() as AddressInfo;
    return new ScriptedService(app, `http://127.0.0.1:${port}`, surroundings);
  }

  session(options?: SessionOptions): Promise<Session> {
    return signIn(this.url, this.surroundings.secret, options);
  }

  async stop(): Promise<void> {
    await this.app.close();
  }
}
