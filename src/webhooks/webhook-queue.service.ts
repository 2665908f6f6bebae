import { Injectable } from '@nestjs/common';
import { DatabaseService, type Tx } from '../database/database.service.js';
import { JobsService } from '../database/jobs/jobs.service.js';
import { WakeUps } from '../common/leases/wake-ups.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';

/** Name of the job that delivers to a webhook what is due; its payload is `{ webhook_id }`. The rows are the truth, it wakes up. */
const TASK = 'webhook';
/** Webhooks that a process delivers to at once. */
export const CONCURRENCY = 20;
const WOKEN_AT_ONCE = 100;

/** Wakes workers for webhooks with deliveries whose time has come. */
@Injectable()
export class WebhookQueueService {
  private readonly wakeUps: WakeUps;

  constructor(
    private readonly database: DatabaseService,
    jobs: JobsService,
    private readonly deliveries: WebhookDeliveriesRepository,
  ) {
    this.wakeUps = new WakeUps(database, jobs, TASK, 'webhook_id');
  }

  /** Has webhooks delivered to as they are woken; called while modules initialise. */
  handle(deliver: (webhook_id: string) => Promise<void>): void {
    this.wakeUps.handle(deliver, CONCURRENCY);
  }

  async wake(tx: Tx, webhook_id: string): Promise<void> {
    await this.wakeUps.add(tx, webhook_id);
  }

  /**
   * Wakes workers for webhooks, behind all that wait already unless a time is given. Each by itself: workers end several jobs at
   * once, and lock them in an order of their own.
   */
  async wakeEach(webhooks: readonly { id: string; created_at?: Date }[]): Promise<void> {
    for (const { id, created_at } of webhooks)
      await this.database.transaction(async (tx) => await this.wakeUps.add(tx, id, created_at));
  }

  /** Wakes workers for retries, and for what a process has left that died. */
  async rewake(): Promise<void> {
    await this.wakeEach(await this.deliveries.waiting(WOKEN_AT_ONCE));
  }
}
