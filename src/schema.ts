import 'reflect-metadata';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../packages/embedded-postgres/index.js';
import { migrate } from './database/migrate.js';
import { dumpSchema } from './database/schema-dump.js';

/** Writes the migrated schema to the file named by the first argument. Uses a temporary database server. */
const [file = 'schema.sql'] = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'workspace-schema-'));
try {
  const server = await startEmbeddedPostgres({ dataDir: folder, ephemeral: true });
  try {
    await migrate(server.url());
    const client = new pg.Client({ connectionString: server.url() });
    await client.connect();
    await writeFile(file, await dumpSchema(client));
    await client.end();
  } finally {
    await server.stop();
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
