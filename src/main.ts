import 'reflect-metadata';
import { join } from 'node:path';
import type { Config } from './config/config.js';
import { ConfigError, loadConfig } from './config/load-config.js';
import { keptSecret } from './platform/auth/kept-secret.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres/embedded-postgres.js';
import { EmbeddedPostgresError } from './embedded-postgres/errors.js';
import { migrate, UnsuitableDatabaseError } from './platform/database/migrate.js';
import { createLogger } from './platform/logging/logger.js';
import { type StopSignal, stopSignal } from './stop-signals.js';

/** The database is the one thing that a start cannot do without. */
const UNREACHABLE = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT'];

/** Starts one process of the service and keeps it until it is told to stop. */
async function run(): Promise<StopSignal> {
  const stopping = stopSignal();
  const config = loadConfig();
  const logger = createLogger(config.LOG_LEVEL);
  // The application takes longest to load: the database starts meanwhile.
  const loading = import('./serve.js');
  // A failure is told of where it is awaited, and then the database is stopped.
  loading.catch(() => undefined);
  const server = config.DATABASE_URL === undefined ? await startOwnDatabase(config) : undefined;
  try {
    const databaseUrl = config.DATABASE_URL ?? server?.url() ?? '';
    await migrate(databaseUrl);
    const { serve } = await loading;
    return await serve({ config, logger, databaseUrl }, { server, stopping });
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
  const signal = await run();
  // Ending by itself without its terminal, Node would abort where it resets that terminal.
  if (signal === 'SIGHUP') {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
}
