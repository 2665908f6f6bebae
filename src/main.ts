import 'reflect-metadata';
import { join } from 'node:path';
import type { Config } from './config/config.js';
import { loadConfig, otherVariables } from './config/load-config.js';
import { keptSecret } from './auth/kept-secret.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../packages/embedded-postgres/index.js';
import { explain } from './failed-start.js';
import { misspelledSettings } from './misspelled-settings.js';
import { migrate } from './database/migrate.js';
import { createLogger } from './common/logging/logger.js';
import { type StopSignal, stopSignal } from './stop-signals.js';

/** Starts one process of the service and keeps it until it is told to stop. */
async function run(): Promise<StopSignal> {
  const stopping = stopSignal();
  const config = loadConfig();
  const logger = createLogger(config.LOG_LEVEL);
  for (const { name, meant } of misspelledSettings(otherVariables()))
    logger.warn(`${name} is no setting of this service and is ignored. Did you mean ${meant}?`);
  const phase = config.embedded ? tellPhase : () => undefined;
  // The application takes longest to load: the database starts meanwhile.
  const loading = import('./serve.js');
  // A failure is told of where it is awaited, and then the database is stopped.
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

/** Writes a line for a phase of the start that is over, with its seconds. */
function tellPhase(name: string): void {
  const seconds = ((performance.now() - phaseBegan) / 1000).toFixed(1);
  process.stdout.write(`${name.padEnd(10)}${seconds.padStart(6)} s\n`);
  phaseBegan = performance.now();
}

/** The embedded mode's database and secret, both kept in DATA_DIR. */
async function startOwnDatabase(config: Config): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir: config.DATA_DIR });
  config.AUTH_JWT_SECRET ??= await keptSecret(join(config.DATA_DIR, 'jwt-secret'));
  return server;
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
