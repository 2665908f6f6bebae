import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll } from '@jest/globals';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../../src/platform/database/data-source.js';
import { Database } from '../../src/platform/database/database.js';
import { testRun } from './run.js';

/** Makes a migrated, empty database of its own; answers its URL. */
export async function createDatabase(): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  const url = new URL(testRun().admin);
  await administrate(`CREATE DATABASE ${name} TEMPLATE ${testRun().template}`);
  url.pathname = `/${name}`;
  return url.href;
}

/** Drops a database of {@link createDatabase}, whoever is still connected. */
export async function dropDatabase(url: string): Promise<void> {
  await administrate(`DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`);
}

/** A database as services see it, for tests below the HTTP interface. */
export interface TestDatabase {
  readonly url: string;
  readonly source: DataSource;
  readonly database: Database;
}

/**
 * A migrated database for the tests of one file, made before the first and dropped after the last.
 *
 * Import the entities under test as values before: the data source knows the classes that are loaded.
 */
export function useDatabase({ poolSize = 10 } = {}): TestDatabase {
  const held: { url?: string; source?: DataSource; database?: Database } = {};
  beforeAll(async () => {
    held.url = await createDatabase();
    held.source = await createDataSource(held.url, poolSize).initialize();
    held.database = new Database(held.source);
  });
  afterAll(async () => {
    await held.source?.destroy();
    if (held.url !== undefined) await dropDatabase(held.url);
  });
  const ready = <Value>(value: Value | undefined): Value => {
    if (value === undefined) throw new Error('The database is there inside tests and hooks only');
    return value;
  };
  return {
    get url() {
      return ready(held.url);
    },
    get source() {
      return ready(held.source);
    },
    get database() {
      return ready(held.database);
    },
  };
}

async function administrate(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: testRun().admin });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
