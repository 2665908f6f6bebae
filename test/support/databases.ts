import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { testRun } from './run.js';

/** Creates a database from a template and returns its URL. By default, the database is empty and migrated. */
export async function createDatabase(from = testRun().template): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  const url = new URL(testRun().admin);
  await administrate(`CREATE DATABASE ${name} TEMPLATE ${from}`);
  url.pathname = `/${name}`;
  return url.href;
}

/** Drops a database created by {@link createDatabase} and closes any open connections to it. */
export async function dropDatabase(url: string): Promise<void> {
  await administrate(`DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`);
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
