import 'reflect-metadata';
import { ConfigError, loadConfig } from './config/load-config.js';
import { backUp, restore } from '../packages/embedded-postgres/index.js';
import { explain } from './failed-start.js';

/* `npm run backup -- <folder>` and `npm run restore -- <folder>`, for the embedded mode. The service must be stopped. */
const [command, folder] = process.argv.slice(2);
try {
  const { embedded, DATA_DIR } = loadConfig();
  if (!embedded) throw new ConfigError('Use pg_dump to back up the database at DATABASE_URL: see docs/operating.md.');
  if (folder === undefined || (command !== 'backup' && command !== 'restore'))
    throw new ConfigError('Usage: npm run backup -- <new folder>, or npm run restore -- <folder of a backup>');
  await (command === 'backup' ? backUp(DATA_DIR, folder) : restore(folder, DATA_DIR));
  process.stdout.write(command === 'backup' ? `${DATA_DIR} was copied to ${folder}.\n` : `${DATA_DIR} was restored.\n`);
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
}
