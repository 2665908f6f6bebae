import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import { CONNECT_AT_START_MS, createDataSource, SESSION_OPTIONS } from './data-source.js';
import { sqlStateOf } from './sql-state.js';
import { assertSuitable } from './suitable-database.js';

/** Name of the advisory lock that keeps processes from migrating concurrently. */
const LOCK = 'project-workspace-service:migrations';
const POLL_MS = 500;
/** Delay before reporting that another process's migrations are still running. */
const SAID_AFTER_MS = 5_000;
const MIGRATIONS = join(import.meta.dirname, 'migrations/*.js');
/** SQLSTATEs of a deadlock and a lock timeout. A migration that fails with one of them had no effect. */
const RETRIED_CODES = ['40P01', '55P03'];
const RETRY_MS = 250;
/** Maximum time for retries. */
const PATIENCE_MS = 10 * 60_000;

/** Receives progress messages of a migration, each a sentence. */
export type Report = (sentence: string) => void;

/**
 * Migrates the database at `url` to the newest schema.
 *
 * Any number of processes may call this concurrently. They take turns. A migration that cannot get its locks quickly gives way to
 * requests of running processes and is retried.
 *
 * @throws UnsuitableDatabaseError
 */
export async function migrate(url: string, report: Report = () => undefined): Promise<void> {
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_AT_START_MS,
      options: SESSION_OPTIONS,
    });
    // An error event without a listener would end the process. The next query reports the lost connection.
    client.on('error', () => undefined);
    try {
      await client.connect();
    } catch (error) {
      // Ends the half-open connection. Otherwise the server would wait for the rest of the sign-in, and this process would wait
      // for the server.
      void client.end();
      throw error;
    }
    return client;
  };
  const holder = await connect();
  try {
    await assertSuitable(holder, connect);
    await lock(holder, report);
    const source = await createDataSource(url, 2, [MIGRATIONS]).initialize();
    try {
      timeMigrations(source, report);
      await runPatiently(source, report);
    } finally {
      await source.destroy();
    }
  } finally {
    await holder.end();
  }
}

/** Waits until no other process migrates. Reports a long wait. */
async function lock(client: pg.Client, report: Report): Promise<void> {
  for (let waited = 0; ; waited += POLL_MS) {
    const { rows } = await client.query<{ locked: boolean }>(
      'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS locked',
      [LOCK],
    );
    if (rows[0]?.locked === true) return;
    if (waited === SAID_AFTER_MS)
      report(`Another process is migrating the database; waiting for database session ${await holderOf(client)}`);
    await pause(POLL_MS);
  }
}

/** Returns the backend process that holds the lock, with its client address. */
async function holderOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ pid: number; client_addr: string | null }>(
    `SELECT l.pid, a.client_addr FROM pg_locks l LEFT JOIN pg_stat_activity a USING (pid)
      WHERE l.locktype = 'advisory' AND l.granted AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended($1, 0)`,
    [LOCK],
  );
  return rows.map(({ pid, client_addr }) => `${pid}${client_addr === null ? '' : ` of ${client_addr}`}`).join(', ');
}

function timeMigrations(source: DataSource, report: Report): void {
  for (const migration of source.migrations) {
    const up = migration.up.bind(migration);
    migration.up = async (runner) => {
      const began = performance.now();
      await up(runner);
      report(`Migration ${migration.constructor.name} took ${((performance.now() - began) / 1000).toFixed(2)} s`);
    };
  }
}

async function runPatiently(source: DataSource, report: Report): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; ;) {
    try {
      await source.runMigrations();
      return;
    } catch (error) {
      const code = sqlStateOf(error);
      if (!RETRIED_CODES.includes(code) || Date.now() > deadline) throw error;
      report(`A migration is blocked by running requests (${code}) and will be retried`);
    }
    await pause(RETRY_MS * (1 + Math.random()));
  }
}
