import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type pg from 'pg';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import { LOGGER } from '../common/logging/logging.module.js';
import { poolOf } from './data-source.js';
import { DatabaseProbeService } from './database-probe.service.js';

const INTERVAL_MS = 2_000;
/** Failed looks in a row after which connections are given up: a single one can be this process that was busy. */
const MAX_FAILURES = 3;

/**
 * Detects a database that does not answer any more: a frozen server, or a network that swallows packets. No connection would
 * tell before its longest statement is over, or before the system gives a connection up after a quarter of an hour. Then
 * all connections are cut, so that what waits for them fails and later attempts begin anew.
 */
@Injectable()
export class DatabaseWatchService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly cuts: (() => void)[] = [];
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;

  constructor(
    source: DataSource,
    private readonly probe: DatabaseProbeService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.guard(poolOf(source));
  }

  /** Calls `listener` when the database does not answer any more, and again as long as it does not. */
  onUnresponsive(listener: () => void): void {
    this.cuts.push(listener);
  }

  onApplicationBootstrap(): void {
    this.running = this.watch();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** Has the connections of a pool cut when the database does not answer any more. */
  private guard(pool: pg.Pool): void {
    const connections = new Set<pg.PoolClient>();
    pool.on('connect', (client) => connections.add(client));
    pool.on('remove', (client) => connections.delete(client));
    this.onUnresponsive(() => {
      for (const client of connections) cut(client);
    });
  }

  private async watch(): Promise<void> {
    const { signal } = this.stopping;
    for (let failures = 0; !signal.aborted;) {
      failures = (await this.answers()) ? 0 : failures + 1;
      if (failures === MAX_FAILURES) this.logger.error('the database is silent: its connections are given up');
      if (failures >= MAX_FAILURES) for (const give of this.cuts) give();
      await pause(INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private async answers(): Promise<boolean> {
    try {
      await this.probe.ping();
      return true;
    } catch (error) {
      this.logger.debug({ err: error }, 'the database does not answer');
      return false;
    }
  }
}

/** Closes a connection without a goodbye, which a silent server would not receive. */
function cut(client: pg.PoolClient): void {
  const { connection } = client as unknown as { connection: { stream: { destroy(error: Error): void } } };
  connection.stream.destroy(new Error('Connection terminated: the database is silent'));
}
