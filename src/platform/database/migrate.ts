import { join } from 'node:path';
import { runMigrations as migrateJobs } from 'graphile-worker';
import pg from 'pg';
import { CONNECT_AT_START_MS, createDataSource } from './data-source.js';

/** Name of the advisory lock that lets one process migrate at a time. */
const LOCK = 'project-workspace-service:migrations';
const OLDEST_VERSION = 18;
const MIGRATIONS = join(import.meta.dirname, '../../migrations/*.js');

/** A database that this service cannot work with; the message says why in a sentence. */
export class UnsuitableDatabaseError extends Error {}

/**
 * Brings the database at `url` up to date: the service's migrations, then graphile-worker's.
 *
 * Safe to call from any number of processes at once; each waits for the one before it.
 *
 * @throws UnsuitableDatabaseError when the server is too old or the database is not UTF-8.
 */
export async function migrate(url: string): Promise<void> {
  const holder = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_AT_START_MS });
  await holder.connect();
  try {
    await assertSuitable(holder);
    await holder.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [LOCK]);
    const source = await createDataSource(url, 2, [MIGRATIONS]).initialize();
    try {
      await source.runMigrations();
    } finally {
      await source.destroy();
    }
    await migrateJobs({ connectionString: url });
  } finally {
    await holder.end();
  }
}

async function assertSuitable(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: number; encoding: string }>(
    `SELECT current_setting('server_version_num')::int / 10000 AS version, current_setting('server_encoding') AS encoding`,
  );
  const [server] = rows;
  if (server === undefined || server.version < OLDEST_VERSION) {
    throw new UnsuitableDatabaseError(
      `PostgreSQL ${OLDEST_VERSION} or newer is needed, the server is version ${server?.version}`,
    );
  }
  if (server.encoding !== 'UTF8') {
    throw new UnsuitableDatabaseError(`The database must be encoded in UTF8, it is ${server.encoding}`);
  }
}
