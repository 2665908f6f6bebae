import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { loadConfig } from './config/load-config.js';
import { startEmbeddedPostgres } from '../packages/embedded-postgres/index.js';
import { explain } from './failed-start.js';
import { type Discrepancies, ReconcilerService } from './files/maintenance/reconciler.service.js';
import { migrate } from './database/migrate.js';
import { createLogger, NestLogger } from './common/logging/logger.js';

/**
 * Compares file rows with the objects in the store and reports the differences. `--fix` removes unneeded rows and objects. Uses
 * the service's settings. The service may run at the same time, except with the embedded database.
 *
 * @returns whether every file has its content
 */
async function reconcile(fix: boolean): Promise<boolean> {
  const config = loadConfig();
  // Runs no turns, solves or background work.
  config.ROLE = 'api';
  const logger = createLogger(config.LOG_LEVEL);
  const server = config.embedded ? await startEmbeddedPostgres({ dataDir: config.DATA_DIR }) : undefined;
  try {
    const databaseUrl = config.DATABASE_URL ?? server?.url() ?? '';
    // A restored backup can be older than this version.
    await migrate(databaseUrl);
    // Uses the service's complete module. A reduced module would break when one of its parts gets a new dependency.
    const app = await NestFactory.createApplicationContext(AppModule.forRoot({ config, logger, databaseUrl }), {
      logger: new NestLogger(logger),
      abortOnError: false,
    });
    try {
      const reconciler = app.get(ReconcilerService, { strict: false });
      const differences = await reconciler.compare();
      if (fix) await reconciler.mend(differences);
      process.stdout.write(report(differences, fix));
      return differences.damaged.length === 0;
    } finally {
      await app.close();
    }
  } finally {
    await server?.stop();
  }
}

function report({ orphans, hollow, damaged }: Discrepancies, isFixed: boolean): string {
  const ending = isFixed ? ', deleted' : '';
  return [
    ...orphans.map((key) => `object without row: ${key}${ending}`),
    ...hollow.map((id) => `row without object: ${id}${ending}`),
    ...damaged.map(({ container_id, path, blob_id, size, storedSize }) => {
      const file = `${blob_id} of ${path} in container ${container_id}`;
      return storedSize === null
        ? `lost content: ${file}`
        : `damaged content: ${file} has ${storedSize} of ${size} bytes`;
    }),
    `${orphans.length} objects without row, ${hollow.length} rows without object, ${damaged.length} files without their content`,
    '',
  ].join('\n');
}

try {
  if (!(await reconcile(process.argv.includes('--fix')))) process.exitCode = 1;
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 2;
}
