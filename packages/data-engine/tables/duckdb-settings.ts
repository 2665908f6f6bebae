import { MEMORY_MIB } from '../messages.js';
import { TaskProblem } from '../tasks.js';

/** Settings that keep DuckDB from loading extensions, which it would fetch. */
export const NO_EXTENSIONS = {
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  allow_community_extensions: 'false',
  allow_unsigned_extensions: 'false',
};

export const MEMORY_LIMIT = `${MEMORY_MIB.duckdb}MiB`;

/** The caller's problem that DuckDB's error stands for if it had too little memory; else undefined. */
export function ofMemory(error: unknown): TaskProblem | undefined {
  const isOfMemory =
    error instanceof Error && /^(Out of Memory Error|Allocation failure)|bad[ _]alloc(ation)?/.test(error.message);
  return isOfMemory
    ? new TaskProblem('out_of_memory', `This needs more than ${MEMORY_MIB.duckdb} MiB of memory: ask for less at once`)
    : undefined;
}
