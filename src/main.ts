import 'reflect-metadata';
import { type AddressInfo, isIPv6 } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Config } from './config/config.js';
import { ConfigError, loadConfig } from './config/load-config.js';
import { createApp } from './configure-app.js';
import { introduce } from './demo/introduce.js';
import { keptSecret } from './platform/auth/kept-secret.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './platform/database/embedded/embedded-postgres.js';
import { EmbeddedPostgresError } from './platform/database/embedded/errors.js';
import { migrate, UnsuitableDatabaseError } from './platform/database/migrate.js';
import { HealthService } from './platform/health/health.service.js';
import { createLogger } from './platform/logging/logger.js';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Requests under way get so long when the process is told to stop; a second signal ends them at once. */
const DRAIN_MS = 20_000;
/** npm passes a Ctrl-C on that the service has received itself: signals this close together are one. */
const SAME_SIGNAL_MS = 1_000;
/** The database is the one thing that a start cannot do without. */
const UNREACHABLE = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT'];

/** Starts one process of the service and keeps it until it is told to stop. */
async function serve(): Promise<NodeJS.Signals> {
  const stopping = stopSignal();
  const config = loadConfig();
  const logger = createLogger(config.LOG_LEVEL);
  const server = config.DATABASE_URL === undefined ? await startOwnDatabase(config) : undefined;
  try {
    const databaseUrl = config.DATABASE_URL ?? server?.url() ?? '';
    await migrate(databaseUrl);
    const app = await createApp({ config, logger, databaseUrl });
    try {
      const url = await listen(app, config);
      if (server !== undefined) process.stdout.write(await introduce(app, config, url, server.notes));
      logger.info({ url, role: config.ROLE }, 'ready');
      const signal = await Promise.race([stopping, ...(server === undefined ? [] : [death(server, config)])]);
      logger.info({ signal }, 'stopping');
      app.get(HealthService).stopping();
      await pause(config.STOP_DELAY_SECONDS * 1000);
      return signal;
    } finally {
      boundDrain(app);
      await app.close();
    }
  } finally {
    await server?.stop();
  }
}

/** The embedded mode's database and secret, both kept in DATA_DIR. */
async function startOwnDatabase(config: Config): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir: config.DATA_DIR });
  config.AUTH_JWT_SECRET ??= await keptSecret(join(config.DATA_DIR, 'jwt-secret'));
  return server;
}

async function listen(app: NestExpressApplication, { PORT, HOST }: Config): Promise<string> {
  await app.listen(PORT, HOST);
  const { port } = app.getHttpServer().address() as AddressInfo;
  const host = ['0.0.0.0', '::'].includes(HOST) ? '127.0.0.1' : HOST;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** Resolves at the first signal to stop; later ones no longer end the process by themselves. */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of STOP_SIGNALS) process.on(signal, resolve);
  });
}

/** Sees to it that clients who do not read or do not finish sending cannot hold up a stop. */
function boundDrain(app: NestExpressApplication): void {
  const began = performance.now();
  const cut = (): void => app.getHttpServer().closeAllConnections();
  setTimeout(cut, DRAIN_MS).unref();
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      if (performance.now() - began > SAME_SIGNAL_MS) cut();
    });
  }
}

/** Rejects when the embedded server ends although nobody stopped it: without it the process is of no use. */
async function death(server: EmbeddedPostgres, { DATA_DIR }: Config): Promise<never> {
  await server.ended;
  throw new EmbeddedPostgresError(`The embedded PostgreSQL has ended; ${join(DATA_DIR, 'postgres.log')} may say why.`);
}

/** What went wrong, for the person who started the service; a stack only where it says something. */
function explain(error: unknown): string {
  const { code, port } = error as { code?: string; port?: number };
  if (code === 'EADDRINUSE') return `Port ${port} is in use: stop what listens there, or choose another with PORT.`;
  if (UNREACHABLE.includes(code ?? '')) return `The database at DATABASE_URL cannot be reached: ${code}.`;
  const plain = [ConfigError, EmbeddedPostgresError, UnsuitableDatabaseError].some((kind) => error instanceof kind);
  return plain ? (error as Error).message : String((error as Error).stack ?? error);
}

// A terminal that is closed takes its output along; the service still stops in order.
for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);

try {
  const signal = await serve();
  // Ending by itself without its terminal, Node would abort where it resets that terminal.
  if (signal === 'SIGHUP') {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
}
