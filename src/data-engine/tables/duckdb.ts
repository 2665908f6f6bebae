import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { Interrupted, interruption } from '../interruption.js';
import { MEMORY_MIB } from '../messages.js';
import { TaskProblem } from '../tasks.js';

/** One thread, for the same sums of fractions each time, and because there are several processes. */
const CONFIGURATION = {
  threads: '1',
  memory_limit: `${MEMORY_MIB.duckdb}MiB`,
  // Nothing is written to the disk: what does not fit into memory is refused.
  temp_directory: '',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  allow_community_extensions: 'false',
  allow_unsigned_extensions: 'false',
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
      `SET TimeZone = 'UTC'; SET allowed_paths = [${files.map(text).join(', ')}]; SET enable_external_access = false; SET lock_configuration = true`,
    );
    return await work(connection);
  } catch (error) {
    throw interruption.isRequested ? new Interrupted() : known(error);
  } finally {
    leave();
    connection.closeSync();
    instance.closeSync();
  }
}

/** Memory is the caller's problem, whatever is done. */
function known(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof TaskProblem) return error;
  const isOfMemory = /^(Out of Memory Error|std::bad_alloc|Allocation failure)|bad allocation|bad_alloc/.test(
    error.message,
  );
  return isOfMemory
    ? new TaskProblem('out_of_memory', `This needs more than ${MEMORY_MIB.duckdb} MiB of memory: ask for less at once`)
    : error;
}

/** A text as SQL. */
export const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/** A name as SQL. */
export const name = (value: string): string => `"${value.replaceAll('"', '""')}"`;
