import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { Interrupted, interruption } from '../interruption.js';
import { literal } from '../sql-text.js';
import { MEMORY_LIMIT, NO_EXTENSIONS, ofMemory } from './duckdb-settings.js';

/** One thread, for the same sums of fractions each time, and because there are several processes. */
const CONFIGURATION = {
  threads: '1',
  memory_limit: MEMORY_LIMIT,
  // Nothing is written to the disk: what does not fit into memory is refused.
  temp_directory: '',
  ...NO_EXTENSIONS,
  allow_persistent_secrets: 'false',
  enable_object_cache: 'false',
};

interface Opened {
  instance: DuckDBInstance;
  connection: DuckDBConnection;
}

let prepared: Promise<Opened> | undefined;

async function open(): Promise<Opened> {
  const instance = await DuckDBInstance.create(':memory:', CONFIGURATION);
  return { instance, connection: await instance.connect() };
}

/** Opens the database of the next task ahead, which takes longer than most tasks. */
export async function prepareDatabase(): Promise<void> {
  prepared ??= open();
  await prepared.catch(() => {
    prepared = undefined;
  });
}

/**
 * Does `work` on an empty database of its own in memory, which can reach `files` and nothing else, and whose settings
 * cannot be changed.
 */
export async function withDatabase<T>(
  files: readonly string[],
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const opened = prepared ?? open();
  prepared = undefined;
  // A process that has no memory for it is at its end; the task goes to another one.
  const { instance, connection } = await opened.catch(() => process.abort());
  const leave = interruption.listen(() => connection.interrupt());
  try {
    interruption.check();
    await connection.run(
      `SET TimeZone = 'UTC'; SET allowed_paths = [${files.map(literal).join(', ')}]; SET enable_external_access = false; SET lock_configuration = true`,
    );
    return await work(connection);
  } catch (error) {
    throw interruption.isRequested ? new Interrupted() : (ofMemory(error) ?? error);
  } finally {
    leave();
    connection.closeSync();
    instance.closeSync();
  }
}
