import { setTimeout as pause } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import { Config } from '../config/config.js';
import { LOGGER } from '../platform/logging/logging.module.js';
import { ExecutionQueue } from './execution-queue.service.js';

const INTERVAL_MS = 5_000;

/** Finds executions whose process is gone, at boot and every few seconds, on every process that works. */
@Injectable()
export class ExecutionReaper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private patrol: Promise<void> | undefined;

  constructor(
    private readonly config: Config,
    private readonly queue: ExecutionQueue,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.ROLE !== 'api') this.patrol = this.patrolUntilStopped();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.patrol;
  }

  private async patrolUntilStopped(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        await this.queue.rewake();
      } catch (error) {
        this.logger.error({ err: error }, 'abandoned executions could not be looked for');
      }
      await pause(INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}
