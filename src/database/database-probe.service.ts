import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import type { Logger } from 'pino';
import { LOGGER } from '../common/logging/logging.module.js';
import { DatabaseUrl } from './database-url.js';

/** Timeout for getting a connection and for a query. */
const TIMEOUT_MS = 2_000;
const CONNECTIONS = 2;

/**
 * Runs cheap status queries over separate connections. They succeed or fail within seconds even while requests use every
 * connection of the pool.
 */
@Injectable()
export class DatabaseProbeService implements OnApplicationShutdown {
  private readonly pool: pg.Pool;

  constructor(url: DatabaseUrl, @Inject(LOGGER) logger: Logger) {
    this.pool = new pg.Pool({
      connectionString: url.value,
      application_name: 'project-workspace-service probe',
      max: CONNECTIONS,
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
      statement_timeout: TIMEOUT_MS,
      options: '-c timezone=UTC',
    });
    this.pool.on('error', (err) => logger.debug({ err }, 'a probe connection was lost'));
  }

  /**
   * Resolves when the database responds.
   * @throws as {@link read}
   */
  async ping(): Promise<void> {
    await this.pool.query('SELECT 1');
  }

  /**
   * Returns the rows of a cheap query.
   * @throws within four seconds if the database is unreachable
   */
  async read<Row extends pg.QueryResultRow>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return (await this.pool.query<Row>(sql, [...parameters])).rows;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}
