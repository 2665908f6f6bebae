import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { type Config, ConfigError, loadConfig } from './config/config.js';
import { createApp } from './configure-app.js';
import { introduce } from './demo/introduce.js';
import { keptSecret } from './platform/auth/kept-secret.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './platform/database/embedded/embedded-postgres.js';
import { EmbeddedPostgresError } from './platform/database/embedded/errors.js';
import { migrate, UnsuitableDatabaseError } from './platform/database/migrate.js';
import { createLogger } from './platform/logging/logger.js';

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
      const signal = await stopping;
      logger.info({ signal }, 'stopping');
      return signal;
    } finally {
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
  return `http://${HOST === '0.0.0.0' ? '127.0.0.1' : HOST}:${port}`;
}

/** Resolves at the first signal to stop; later ones change nothing, the stop under way is bounded. */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, resolve);
  });
}

/** What went wrong, for the person who started the service; a stack only where it says something. */
function explain(error: unknown): string {
  const { code, port } = error as { code?: string; port?: number };
  if (code === 'EADDRINUSE') return `Port ${port} is in use: stop what listens there, or choose another with PORT.`;
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
