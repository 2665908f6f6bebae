import 'reflect-metadata';
import { join } from 'node:path';
import type { Config } from './config/config.js';
import { loadConfig, otherVariables } from './config/load-config.js';
import { readOrCreateSecret } from './auth/secret-file.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../packages/embedded-postgres/index.js';
import { explain } from './failed-start.js';
import { misspelledSettings } from './misspelled-settings.js';
import { migrate } from './database/migrate.js';
import { createLogger } from './common/logging/logger.js';
import { type StopSignal, stopSignal } from './stop-signals.js';

/** Starts a service process and runs it until a stop signal. */
async function run(): Promise<StopSignal> {
  const stopping = stopSignal();
  const config = loadConfig();
  const logger = createLogger(config.LOG_LEVEL);
  for (const { name, setting } of misspelledSettings(otherVariables()))
    logger.warn(`${name} is not a setting of this service and is ignored. Did you mean ${setting}?`);
  const phase = config.embedded ? printPhase : () => undefined;
  // Loading the application takes longest, so the database starts at the same time.
  const loading = import('./serve.js');
  // A failure is reported at the `await` below, which also stops the database.
  loading.catch(() => undefined);
  const server = config.DATABASE_URL === undefined ? await startOwnDatabase(config) : undefined;
  try {
    const databaseUrl = config.DATABASE_URL ?? server?.url() ?? '';
    await migrate(databaseUrl, (sentence) => logger.info(sentence));
    phase('Database');
    const { serve } = await loading;
    return await serve({ config, logger, databaseUrl }, { server, stopping, onReady: () => phase('Ready') });
  } finally {
    await server?.stop();
  }
}

let phaseBegan = performance.now();

/** Prints a completed phase of the start with its duration in seconds. */
function printPhase(name: string): void {
  const seconds = ((performance.now() - phaseBegan) / 1000).toFixed(1);
  process.stdout.write(`${name.padEnd(10)}${seconds.padStart(6)} s\n`);
  phaseBegan = performance.now();
}

/** Starts the embedded database, and reads or creates the token secret. Both are stored in DATA_DIR. */
async function startOwnDatabase(config: Config): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir: config.DATA_DIR });
  config.AUTH_JWT_SECRET ??= await readOrCreateSecret(join(config.DATA_DIR, 'jwt-secret'));
  return server;
}

// Closing the terminal also closes its output, but the service must still stop cleanly.
for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);

try {
  const signal = await run();
  // The terminal is already gone. On a normal exit, Node would try to reset it and abort, so end with the signal instead.
  if (signal === 'SIGHUP') {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
}
