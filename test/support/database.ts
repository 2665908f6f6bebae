import { afterAll, beforeAll } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../../src/database/data-source.js';
import { DatabaseService } from '../../src/database/database.service.js';
import { createDatabase, dropDatabase } from './databases.js';

/** Database connection as services use it, for tests below the HTTP interface. */
export interface TestDatabase {
  readonly url: string;
  readonly source: DataSource;
  readonly database: DatabaseService;
}

/**
 * Provides a migrated database to the tests of one file. It is created before the first test and dropped after the last
 * test. Import the entities under test as values first, because the data source only knows the classes that are loaded
 * by then.
 */
export function useDatabase({ poolSize = 10 } = {}): TestDatabase {
  const held: { url?: string; source?: DataSource; database?: DatabaseService } = {};
  beforeAll(async () => {
    held.url = await createDatabase();
    held.source = await createDataSource(held.url, poolSize).initialize();
    held.database = new DatabaseService(held.source);
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
