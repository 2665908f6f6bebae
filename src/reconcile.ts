import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ConfigModule } from './config/config.module.js';
import { ConfigError, loadConfig } from './config/load-config.js';
import { FilesModule } from './files/files.module.js';
import { type Discrepancies, Reconciler } from './files/maintenance/reconciler.service.js';
import { DatabaseModule } from './platform/database/database.module.js';
import { startEmbeddedPostgres } from './embedded-postgres/embedded-postgres.js';
import { EmbeddedPostgresError } from './embedded-postgres/errors.js';
import { JobsModule } from './platform/jobs/jobs.module.js';
import { LoggingModule } from './platform/logging/logging.module.js';
import { createLogger, NestLogger } from './platform/logging/logger.js';

@Module({})
class ReconcileModule {}

/**
 * Compares the rows of files with the objects of the store and tells where they do not agree, with `--fix` mends what can
 * be mended. Settings are those of the service, which may run meanwhile unless its database is the embedded one.
 */
async function reconcile(fix: boolean): Promise<boolean> {
  const config = loadConfig();
  // Only serves nobody and runs no jobs.
  config.ROLE = 'api';
  const server = config.embedded ? await startEmbeddedPostgres({ dataDir: config.DATA_DIR }) : undefined;
  try {
    const logger = createLogger(config.LOG_LEVEL);
    const imports = [
      ConfigModule.forRoot(config),
      LoggingModule.forRoot(logger),
      DatabaseModule.forRoot(config.DATABASE_URL ?? server?.url() ?? ''),
      JobsModule,
      FilesModule,
    ];
    const app = await NestFactory.createApplicationContext(
      { module: ReconcileModule, imports },
      { logger: new NestLogger(logger), abortOnError: false },
    );
    try {
      const reconciler = app.get(Reconciler);
      const found = await reconciler.compare();
      if (fix) await reconciler.mend(found);
      process.stdout.write(report(found, fix));
      return found.lost.length === 0 && (fix || found.orphans.length + found.hollow.length === 0);
    } finally {
      await app.close();
    }
  } finally {
    await server?.stop();
  }
}

function report({ orphans, hollow, lost }: Discrepancies, fixed: boolean): string {
  const mended = fixed ? ', deleted' : '';
  return [
    ...orphans.map((key) => `object without row: ${key}${mended}`),
    ...hollow.map((id) => `row without object: ${id}${mended}`),
    ...lost.map(
      ({ container_id, path, blob_id }) => `lost content: ${blob_id} of ${path} in container ${container_id}`,
    ),
    `${orphans.length} objects without row, ${hollow.length} rows without object, ${lost.length} files without content`,
    '',
  ].join('\n');
}

try {
  if (!(await reconcile(process.argv.includes('--fix')))) process.exitCode = 1;
} catch (error) {
  const plain = error instanceof ConfigError || error instanceof EmbeddedPostgresError;
  process.stderr.write(`${plain ? error.message : String((error as Error).stack)}\n`);
  process.exitCode = 2;
}
