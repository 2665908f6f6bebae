import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { Interrupted, interruption } from '../interruption.js';
import { literal } from '../sql-text.js';
import { MEMORY_LIMIT, NO_EXTENSIONS, ofMemory } from './duckdb-settings.js';

/**
 * DuckDB configuration. A single thread makes sums of fractions reproducible and leaves the other CPU cores to the other
 * processes.
 */
const CONFIGURATION = {
  threads: '1',
  memory_limit: MEMORY_LIMIT,
  // Prevents DuckDB from spilling data to disk. Queries that do not fit into memory fail.
  temp_directory: '',
  ...NO_EXTENSIONS,
  allow_persistent_secrets: 'false',
  enable_object_cache: 'false',
};

interface Database {
  instance: DuckDBInstance;
  connection: DuckDBConnection;
}

let prepared: Promise<Database> | undefined;

async function open(): Promise<Database> {
  const instance = await DuckDBInstance.create(':memory:', CONFIGURATION);
  return { instance, connection: await instance.connect() };
}

/** Opens the database for the next task in advance, because opening takes longer than most tasks. */
export async function prepareDatabase(): Promise<void> {
  prepared ??= open();
  await prepared.catch(() => {
    prepared = undefined;
  });
}

/** Runs `work` on a new in-memory database that can access only the given files and whose settings are locked. */
export async function withDatabase<T>(
  files: readonly string[],
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const opened = prepared ?? open();
  prepared = undefined;
  // A process that cannot allocate a database must exit. Another process takes over the task.
  const { instance, connection } = await opened.catch(() => process.abort());
  const unsubscribe = interruption.subscribe(() => connection.interrupt());
  try {
    interruption.check();
    await connection.run(
      `SET TimeZone = 'UTC'; SET allowed_paths = [${files.map(literal).join(', ')}]; SET enable_external_access = false; SET lock_configuration = true`,
    );
    return await work(connection);
  } catch (error) {
    throw interruption.isRequested ? new Interrupted() : (ofMemory(error) ?? error);
  } finally {
    unsubscribe();
    connection.closeSync();
    instance.closeSync();
  }
}
