import { type DataSource, type EntityManager, QueryFailedError, type QueryRunner } from 'typeorm';

/** Connections that short reads share. More of them wake more processes of the server, and less is gained. */
const CONNECTIONS = 2;

interface Shared {
  runners: QueryRunner[];
  turn: number;
}
const shared = new WeakMap<DataSource, Shared>();

/**
 * Rows of a read that takes the server a moment whatever its parameters are: by an index, at most some hundred rows and a megabyte.
 *
 * Outside of a transaction such reads take turns on a few connections and do not wait for each other's answers before they are sent.
 * Searches, far offsets, large rows and statements that lock use the repository's `query`, as the reads behind them would wait.
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
    // The connection is lost, perhaps because of another read: this one runs again by itself.
    await runner.release();
    return await manager.query<Rows>(statement, parameters);
  }
}

/** Gives the shared connections back. */
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
