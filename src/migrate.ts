import { ConfigError, loadConfig } from './config/load-config.js';
import { explain } from './failed-start.js';
import { migrate } from './database/migrate.js';

/*
 * Brings the database at DATABASE_URL up to date and ends. Every process of the service does the same when it starts; this is
 * for those who want to see that it succeeds before they replace any. Settings are those of the service.
 */
try {
  const { DATABASE_URL } = loadConfig();
  if (DATABASE_URL === undefined)
    throw new ConfigError('DATABASE_URL is needed: an embedded database is migrated by its service.');
  await migrate(DATABASE_URL, (sentence) => process.stdout.write(`${sentence}\n`));
  process.stdout.write('The database is up to date.\n');
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
}
