import { once } from 'node:events';
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../dist/packages/embedded-postgres/embedded-postgres.js';
import { migrate } from '../../dist/src/database/migrate.js';
import { SharedServices } from './shared-service.js';

/**
 * Database server for a test run. It contains a migrated database that is copied for every test file. This process also
 * runs the services shared by several files.
 *
 * Ends when its parent disconnects or dies. It then removes everything: the server and the run's folder, which contains
 * all other files of the tests.
 */
const TEMPLATE = 'migrated';

const over = once(process, 'disconnect');
const directory = await realpath(await mkdtemp(join(tmpdir(), 'workspace-tests-')));
// If root starts the run, the server runs as a different user, who needs access through this folder.
if (process.getuid?.() === 0) await chmod(directory, 0o711);
try {
  const server = await startEmbeddedPostgres({ dataDir: join(directory, 'server'), ephemeral: true });
  try {
    const admin = server.url('postgres');
    await createTemplate(admin);
    const run = { admin, template: TEMPLATE, directory };
    const shared = new SharedServices(run);
    // Without the callback, a send to a dead parent would end this process before it has cleaned up.
    const tell = (message) => process.send?.(message, () => undefined);
    tell({ ...run, shared: await shared.listen() });
    process.once('message', async () => tell(await shared.stop()));
    await over;
    await shared.stop();
  } finally {
    await server.stop();
  }
} finally {
  await rm(directory, { recursive: true, force: true, maxRetries: 10 });
}

async function createTemplate(admin) {
  const client = new pg.Client({ connectionString: admin });
  await client.connect();
  await client.query(`CREATE DATABASE ${TEMPLATE}`);
  await client.end();
  const url = new URL(admin);
  url.pathname = `/${TEMPLATE}`;
  await migrate(url.href);
}
