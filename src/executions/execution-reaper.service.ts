import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import { Config } from '../config/config.js';
import { IntervalRunner } from '../common/leases/interval-runner.js';
import { LOGGER } from '../common/logging/logging.module.js';
import { ExecutionQueueService } from './execution-queue.service.js';

/** Finds executions whose process is gone, at boot and every few seconds, on every worker process. */
@Injectable()
export class ExecutionReaperService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private runner: IntervalRunner | undefined;

  constructor(
    private readonly config: Config,
    private readonly queue: ExecutionQueueService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.ROLE !== 'api')
      this.runner = new IntervalRunner(
        () => this.queue.rewake(),
        'abandoned executions could not be looked for',
        this.logger,
      );
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.runner?.stop();
  }
}
