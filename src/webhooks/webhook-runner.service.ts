import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../config/config.js';
import { DatabaseService } from '../database/database.service.js';
import { RowQueuesService } from '../database/queues/row-queues.service.js';
import { DELIVERY_QUEUE } from '../events/project-events.service.js';
import { type LeasedDelivery, WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import { WebhookEndingsService } from './webhook-endings.service.js';
import { WebhookSecretsService } from './webhook-secrets.service.js';
import { send } from './webhook-sender.js';
import { signedHeaders } from './webhook-signature.js';

/** Maximum number of concurrent requests per process. Ten companies can use their maximum. */
const CONCURRENCY = 100;

/**
 * Sends due deliveries. First attempts for a project are made in sequence, in the order of its events. A failed delivery is
 * retried later, independently of first attempts, which never wait for retries.
 */
@Injectable()
export class WebhookRunnerService implements OnModuleInit {
  constructor(
    private readonly config: Config,
    private readonly database: DatabaseService,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly secrets: WebhookSecretsService,
    private readonly endings: WebhookEndingsService,
    private readonly queues: RowQueuesService,
  ) {}

  onModuleInit(): void {
    this.queues.open<LeasedDelivery>({
      name: DELIVERY_QUEUE,
      concurrency: CONCURRENCY,
      // The next delivery for a project can be claimed only after the attempt has ended.
      claim: async (owner, room) => ({ rows: await this.claim(owner, room), more: true }),
      renew: async (delivery) => await this.deliveries.renew(delivery),
      run: async (delivery, { signal }) => await this.attempt(delivery, signal),
      // Another process sends it again.
      release: async (delivery) => await this.deliveries.release(delivery),
    });
  }

  private async claim(owner: string, room: number): Promise<LeasedDelivery[]> {
    return await this.database.transaction(async (tx) => {
      const deliveries = tx.withRepository(this.deliveries);
      await deliveries.lockClaims();
      return await deliveries.claim(owner, room);
    });
  }

  private async attempt(delivery: LeasedDelivery, signal: AbortSignal): Promise<void> {
    const at = new Date();
    const secret = await this.secrets.open(delivery.webhook_id, delivery.secret);
    const headers = signedHeaders(secret, delivery.message_id, at, delivery.body);
    const sent = await send(delivery.url, headers, delivery.body, { rules: this.config.webhookAddresses, signal });
    await this.endings.note(delivery, at, sent);
  }
}
