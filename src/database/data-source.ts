import pg from 'pg';
import { DataSource, getMetadataArgsStorage } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { PreparedClient } from './prepared-client.js';

// Sums and counters of this service stay far below 2^53 and credits need no more than a double shows, so bigint and
// numeric reach the code as numbers, as they leave it in JSON.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number);

/** Longest statement of the service; the server is asked to end it, and not waited for when it does not. */
const STATEMENT_MS = 25_000;
/** Longest transaction: it holds locks and a connection. The server ends it with its connection. */
const TRANSACTION_MS = 30_000;

// Statements are short, and of the walks through trees the planner expects far more than there is: compiling them would take
// a hundred times as long as running them.
export const SESSION_OPTIONS = '-c timezone=UTC -c default_transaction_isolation=read\\ committed -c jit=off';

// The server keeps one plan for each statement. By default it would plan some statements again at every run: ADR 17.
const ONE_PLAN = 'plan_cache_mode=force_generic_plan';

/**
 * Longest wait of a migration for a lock. Requests wait behind it, and it is below the server's `deadlock_timeout`, so a migration
 * gives way before the server ends a request.
 */
const LOCK_MS = 500;

/**
 * Longest wait for a connection while the process starts: the application loads meanwhile and keeps the event loop busy, on a
 * machine with other work for many seconds.
 */
export const CONNECT_AT_START_MS = 30_000;

/**
 * The data source of one process; not yet connected.
 *
 * Entities are all decorated classes that are loaded, so a new module needs no list. The schema comes from migrations
 * alone; only `migrate` loads those.
 */
export function createDataSource(url: string, poolSize: number, migrations: string[] = []): DataSource {
  const isMigrating = migrations.length > 0;
  return new DataSource({
    type: 'postgres',
    url,
    // Migrations are SQL. With entities TypeORM would add a table of its own, or not, depending on those loaded by then.
    entities: isMigrating ? [] : getMetadataArgsStorage().tables.map(({ target }) => target as new () => object),
    migrations,
    migrationsTransactionMode: 'each',
    synchronize: false,
    installExtensions: false,
    poolSize,
    connectTimeoutMS: isMigrating ? CONNECT_AT_START_MS : 5_000,
    extra: {
      options: `${SESSION_OPTIONS} -c ${ONE_PLAN} -c ${isMigrating ? `lock_timeout=${LOCK_MS}` : `transaction_timeout=${TRANSACTION_MS}`}`,
      application_name: 'project-workspace-service',
      Client: PreparedClient,
      pipeline: true,
      // A server that hangs is out of reach; only migrations may take as long as they need. What waits for others that went
      // out before it is waited for as well.
      ...(!isMigrating && { statement_timeout: STATEMENT_MS, query_timeout: 2 * STATEMENT_MS }),
    },
  });
}

/** The connections of an initialised data source. */
export function poolOf(source: DataSource): pg.Pool {
  return (source.driver as PostgresDriver).master as pg.Pool;
}
