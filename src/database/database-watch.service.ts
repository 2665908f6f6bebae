import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type pg from 'pg';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import { LOGGER } from '../common/logging/logging.module.js';
import { poolOf } from './data-source.js';
import { DatabaseProbeService } from './database-probe.service.js';

const INTERVAL_MS = 2_000;
/**
 * Number of consecutive failed probes after which connections are dropped. A single failure may mean that this process was
 * busy.
 */
const MAX_FAILURES = 3;

/**
 * Detects an unresponsive database, such as a frozen server or a network that drops packets. Without this service, a connection
 * would notice only at its statement timeout, or when the operating system gives up after a quarter of an hour. All connections
 * are then closed, so that pending queries fail and later attempts open new connections.
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

  /** Calls `listener` when the database stops responding, and repeatedly while the database is unresponsive. */
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

  /** Registers a pool whose connections are closed when the database stops responding. */
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
      if (failures === MAX_FAILURES) this.logger.error('the database does not respond; its connections are closed');
      if (failures >= MAX_FAILURES) for (const give of this.cuts) give();
      await pause(INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private async answers(): Promise<boolean> {
    try {
      await this.probe.ping();
      return true;
    } catch (error) {
      this.logger.debug({ err: error }, 'the database does not respond');
      return false;
    }
  }
}

/** Closes a connection without a terminate message, which an unresponsive server would not receive. */
function cut(client: pg.PoolClient): void {
  const { connection } = client as unknown as { connection: { stream: { destroy(error: Error): void } } };
  connection.stream.destroy(new Error('Connection terminated: the database does not respond'));
}
