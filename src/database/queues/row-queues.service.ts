import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../../common/logging/logging.module.js';
import { Config } from '../../config/config.js';
import { NotificationsService } from '../notifications.service.js';
import { QueueMetricsService } from './queue-metrics.service.js';
import { type QueuedRow, RowQueue, type RowQueueOptions } from './row-queue.js';

/** PostgreSQL channel for wake-ups. The payload is the name of a queue. */
const CHANNEL = 'row_queues';

/** Processes queued table rows outside requests, in every process whose ROLE is not `api`. */
@Injectable()
export class RowQueuesService
  implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown
{
  private readonly queues = new Map<string, RowQueue<never>>();
  private stopped: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly config: Config,
    private readonly notifications: NotificationsService,
    private readonly metrics: QueueMetricsService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Registers a queue. Must be called while modules initialize. */
  open<Row extends QueuedRow>(options: RowQueueOptions<Row>): RowQueue<Row> {
    const { name, backlog } = options;
    if (this.queues.has(name)) throw new Error(`The queue ${name} already exists`);
    const queue = new RowQueue(options, this.metrics, this.logger);
    this.queues.set(name, queue as unknown as RowQueue<never>);
    if (backlog !== undefined) this.metrics.watchBacklog(name, backlog);
    return queue;
  }

  /** Makes every process poll a queue. Call it after new rows have committed. */
  wake(name: string): void {
    this.notifications.send(CHANNEL, name);
  }

  onModuleInit(): void {
    if (this.config.ROLE === 'api') return;
    this.notifications.listen(CHANNEL, (name) => {
      for (const [each, queue] of this.queues) if (name === null || name === each) queue.wake();
    });
  }

  onApplicationBootstrap(): void {
    if (this.config.ROLE !== 'api') for (const queue of this.queues.values()) queue.start();
  }

  onModuleDestroy(): void {
    this.stopped = Promise.all([...this.queues.values()].map(async (queue) => await queue.stop()));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.stopped;
  }
}
