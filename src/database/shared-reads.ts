import { type DataSource, type EntityManager, QueryFailedError, type QueryRunner } from 'typeorm';

/** Number of connections shared by short reads. Each additional connection wakes another server process and saves less time. */
const CONNECTIONS = 2;

interface Shared {
  runners: QueryRunner[];
  turn: number;
}
const shared = new WeakMap<DataSource, Shared>();

/**
 * Runs a read that is fast for all parameters: it uses an index and returns at most a few hundred rows and a megabyte.
 *
 * Outside a transaction such reads are distributed over a few connections and sent without waiting for each other's results.
 * Searches, large offsets, large rows and locking statements must use the repository's `query`, because the reads behind them
 * would wait.
 */
export async function sharedRead<Rows extends unknown[]>(
  manager: EntityManager,
  statement: string,
  parameters: unknown[],
): Promise<Rows> {
  if (manager.queryRunner !== undefined) return await manager.query<Rows>(statement, parameters);
  const runner = nextRunner(manager.dataSource);
  try {
    return (await runner.query(statement, parameters)) as Rows;
  } catch (error) {
    if (error instanceof QueryFailedError && !runner.isReleased) throw error;
    // The connection was lost, possibly because of another read. Runs this read again on a separate connection.
    await runner.release();
    return await manager.query<Rows>(statement, parameters);
  }
}

/** Releases the shared connections. */
export async function releaseShared(source: DataSource): Promise<void> {
  await Promise.all(shared.get(source)?.runners.map((runner) => runner.release()) ?? []);
}

function nextRunner(source: DataSource): QueryRunner {
  const connections = shared.get(source) ?? { runners: [], turn: 0 };
  shared.set(source, connections);
  connections.turn = (connections.turn + 1) % CONNECTIONS;
  const runner = connections.runners[connections.turn];
  if (runner !== undefined && !runner.isReleased) return runner;
  return (connections.runners[connections.turn] = source.createQueryRunner());
}
