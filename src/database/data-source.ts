import pg from 'pg';
import { DataSource, getMetadataArgsStorage } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { PreparedClient } from './prepared-client.js';

// Parses bigint and numeric as numbers, as they appear in JSON. Integers in this service stay far below 2^53, and credits need
// no more precision than a double.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number);

/** Statement timeout, enforced by the server. If the server fails to enforce it, the client's own timeout ends the wait. */
const STATEMENT_MS = 25_000;
/**
 * Transaction timeout. A transaction holds locks and a connection, so the server ends a long transaction by closing its
 * connection.
 */
const TRANSACTION_MS = 30_000;

// JIT is off. Statements are short, and the planner overestimates recursive queries so much that compiling them would take a
// hundred times as long as running them.
export const SESSION_OPTIONS = '-c timezone=UTC -c default_transaction_isolation=read\\ committed -c jit=off';

// The server keeps a single generic plan per statement. By default it would replan some statements on every run, see ADR 17.
const ONE_PLAN = 'plan_cache_mode=force_generic_plan';

/**
 * Lock timeout for migrations. Requests queue behind the waiting migration. The value is below the server's `deadlock_timeout`,
 * so a migration gives way before the server aborts a request because of a deadlock.
 */
const LOCK_MS = 500;

/**
 * Connection timeout at process start. While the application loads, the event loop can be busy for many seconds on a loaded
 * machine.
 */
export const CONNECT_AT_START_MS = 30_000;

/**
 * Creates the data source for a process without connecting it.
 *
 * It uses the entities of all loaded modules, so a new module needs no registration. The schema is created by migrations only,
 * and only `migrate` loads them.
 */
export function createDataSource(url: string, poolSize: number, migrations: string[] = []): DataSource {
  const isMigrating = migrations.length > 0;
  return new DataSource({
    type: 'postgres',
    url,
    // Migrations are SQL. With entities, TypeORM might create an extra table, depending on the entities already loaded.
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
      // A server that hangs counts as unreachable. Only migrations may run without a time limit. The client timeout is longer
      // because it includes the wait for earlier statements on the connection.
      ...(!isMigrating && { statement_timeout: STATEMENT_MS, query_timeout: 2 * STATEMENT_MS }),
    },
  });
}

/** Returns the connection pool of an initialized data source. */
export function poolOf(source: DataSource): pg.Pool {
  return (source.driver as PostgresDriver).master as pg.Pool;
}
