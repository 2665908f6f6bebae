import { MEMORY_MIB } from '../messages.js';
import { TaskProblem } from '../tasks.js';

/** Settings that prevent DuckDB from downloading and loading extensions. */
export const NO_EXTENSIONS = {
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  allow_community_extensions: 'false',
  allow_unsigned_extensions: 'false',
};

export const MEMORY_LIMIT = `${MEMORY_MIB.duckdb}MiB`;

/** Converts DuckDB's out-of-memory error to a problem. Returns undefined for other errors. */
export function ofMemory(error: unknown): TaskProblem | undefined {
  const isOfMemory =
    error instanceof Error && /^(Out of Memory Error|Allocation failure)|bad[ _]alloc(ation)?/.test(error.message);
  return isOfMemory
    ? new TaskProblem(
        'out_of_memory',
        `The query needs more than ${MEMORY_MIB.duckdb} MiB of memory. Select less data at once`,
      )
    : undefined;
}
