import { randomUUID } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { COUNT_SKIPPED, DELIVERY_QUEUE, streamOf } from '../events/project-events.service.js';
import type { CompanyPrincipal } from '../auth/company-level.js';
import { DatabaseService, type Tx } from '../database/database.service.js';
import { Conflict, TooManyRequests } from '../common/errors/errors.js';
import { PeriodicWorkService } from '../database/queues/periodic-work.service.js';
import { RowQueuesService } from '../database/queues/row-queues.service.js';
import type { Page } from '../common/listing/page.js';
import type { WalkQuery } from '../common/listing/walk.query.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import type { WebhookDelivery } from './webhook-delivery.entity.js';
import type { Webhook } from './webhook.entity.js';
import { WebhooksRepository } from './webhooks.repository.js';
import { WebhookDeliveryResponse } from './webhooks.dto.js';
import { INACTIVE, REMOVE_DELIVERIES } from './webhooks.service.js';

/** Retention period for deliveries, during which they can be listed and sent again. */
const KEPT = `interval '7 days'`;
const REMOVED_AT_ONCE = 1_000;
/** Maximum number of a webhook's tests that wait for their first attempt. */
const MAX_WAITING_TESTS = 10;
const TEST = 'webhook.test';
const RETRY_SECONDS = 10;

/** Lists webhook deliveries, and sends tests and repeated deliveries on request. */
@Injectable()
export class WebhookDeliveriesService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly webhooks: WebhooksRepository,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly queues: RowQueuesService,
    private readonly periodic: PeriodicWorkService,
  ) {}

  onModuleInit(): void {
    this.periodic.every('*/15 * * * *', REMOVE_DELIVERIES, async () => await this.removeOld());
    this.periodic.every('* * * * *', COUNT_SKIPPED, async () => await this.webhooks.countSkipped());
  }

  /**
   * Returns a page of a webhook's deliveries, newest first.
   * @throws NotFound
   */
  async page({ company_id }: CompanyPrincipal, webhookId: string, page: WalkQuery): Promise<Page<WebhookDelivery>> {
    const { id } = await this.webhooks.require(company_id, webhookId);
    return await this.deliveries.page(id, page);
  }

  /**
   * Sends a test to a webhook.
   * @throws NotFound
   * @throws Conflict if it is inactive
   * @throws TooManyRequests if too many tests wait
   */
  async test(caller: CompanyPrincipal, webhookId: string): Promise<WebhookDeliveryResponse> {
    return await this.send(caller, webhookId, async (tx, { id: webhook_id, company_id }) => {
      const deliveries = tx.withRepository(this.deliveries);
      if ((await deliveries.countBy({ webhook_id, type: TEST, state: 'pending', attempts: 0 })) >= MAX_WAITING_TESTS)
        throw new TooManyRequests(
          'too_many_requests_at_once',
          `${MAX_WAITING_TESTS} tests of this webhook have not been sent yet: wait for them before you start another test`,
          RETRY_SECONDS,
        );
      const actor = { kind: caller.kind, id: caller.user_id ?? caller.api_key_id };
      const body = { id: 0, type: TEST, at: new Date().toISOString(), actor, data: { webhook_id } };
      const { id } = await deliveries.save({
        webhook_id,
        stream_id: streamOf(company_id),
        message_id: `test_${randomUUID()}`,
        type: body.type,
        body: JSON.stringify(body),
      });
      return id;
    });
  }

  /**
   * Sends a delivery again, under the same `webhook-id`.
   * @throws NotFound
   * @throws Conflict if the webhook is inactive
   */
  async resend(caller: CompanyPrincipal, webhookId: string, deliveryId: string): Promise<WebhookDeliveryResponse> {
    return await this.send(caller, webhookId, async (tx, webhook) => {
      const deliveries = tx.withRepository(this.deliveries);
      const { id } = await deliveries.require(webhook.id, deliveryId);
      await deliveries.sendAgain(id);
      return id;
    });
  }

  private async send(
    caller: CompanyPrincipal,
    webhookId: string,
    make: (tx: Tx, webhook: Webhook) => Promise<string>,
  ): Promise<WebhookDeliveryResponse> {
    return await this.database.transaction(async (tx) => {
      const webhooks = tx.withRepository(this.webhooks);
      await webhooks.lockCompany(caller.company_id);
      const webhook = await webhooks.require(caller.company_id, webhookId);
      return await caller.once(tx, async () => {
        if (!webhook.active) throw new Conflict('webhook_inactive', INACTIVE);
        const id = await make(tx, webhook);
        this.database.afterCommit(tx, () => this.queues.wake(DELIVERY_QUEUE));
        return WebhookDeliveryResponse.from(await tx.withRepository(this.deliveries).require(webhook.id, id));
      });
    });
  }

  private async removeOld(): Promise<void> {
    await this.deliveries.giveUpInactive(INACTIVE);
    while ((await this.deliveries.removeOld(KEPT, REMOVED_AT_ONCE)) === REMOVED_AT_ONCE);
    while ((await this.deliveries.removeOrphans(REMOVED_AT_ONCE)) === REMOVED_AT_ONCE);
  }
}
