import type { DataSource, EntityManager } from 'typeorm';

/** Most reads that share a connection: the last of them waits for the others. */
const MAX_READS = 8;

/** Rows before a page that a short read may pass over. */
export const SHORT_OFFSET = 1_000;

interface Read {
  statement: string;
  parameters: unknown[];
  resolve: (rows: unknown) => void;
  reject: (error: unknown) => void;
}

/** The reads that are still joined by others. */
const gathered = new WeakMap<DataSource, Read[]>();

/**
 * Rows of a read that takes the server a moment whatever its parameters are: by an index, of at most some hundred rows and
 * a megabyte, beside a count of an index. Outside of a transaction, those that are asked for in one step of the event loop, by
 * whatever request, go out in one piece over one connection and run one after the other, each with a snapshot of its own: to
 * wake a process of the server for each would cost more than the reads. Everything else keeps a connection to itself by the
 * repository's `query`, as others would wait for it: searches, far offsets, large rows, and statements that lock.
 */
export async function shortRead<Rows extends unknown[]>(
  manager: EntityManager,
  statement: string,
  parameters: unknown[],
): Promise<Rows> {
  if (manager.queryRunner !== undefined) return await manager.query<Rows>(statement, parameters);
  return await new Promise<Rows>((resolve, reject) => {
    gather(manager.dataSource, { statement, parameters, resolve: (rows) => resolve(rows as Rows), reject });
  });
}

function gather(source: DataSource, read: Read): void {
  const joined = gathered.get(source);
  if (joined !== undefined && joined.length < MAX_READS) {
    joined.push(read);
    return;
  }
  const reads = [read];
  gathered.set(source, reads);
  // What the requests have asked for that were received at once: the event loop has been through all of them by then.
  setImmediate(() => {
    if (gathered.get(source) === reads) gathered.delete(source);
    void run(source, reads);
  });
}

async function run(source: DataSource, reads: readonly Read[]): Promise<void> {
  const runner = source.createQueryRunner();
  await Promise.all(
    reads.map(async ({ statement, parameters, resolve, reject }) => {
      await runner.query(statement, parameters).then(resolve, reject);
    }),
  );
  await runner.release();
}
