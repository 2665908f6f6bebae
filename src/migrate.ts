import { ConfigError, loadConfig } from './config/load-config.js';
import { explain } from './failed-start.js';
import { migrate } from './database/migrate.js';

/*
 * Migrates the database at DATABASE_URL and exits. Every service process does the same when it starts. Run it separately to
 * check that the migration succeeds before you replace any process. The command uses the service's settings.
 */
try {
  const { DATABASE_URL } = loadConfig();
  if (DATABASE_URL === undefined)
    throw new ConfigError('DATABASE_URL is required. The service migrates its embedded database when it starts.');
  await migrate(DATABASE_URL, (sentence) => process.stdout.write(`${sentence}\n`));
  process.stdout.write('The database is up to date.\n');
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
}
