import { Injectable } from '@nestjs/common';
import { ProjectEventsService } from '../events/project-events.service.js';
import { DatabaseService } from '../database/database.service.js';
import { nextAttempt } from './retry-times.js';
import { type LeasedDelivery, WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import type { AttemptResult } from './webhook-sender.js';
import { WebhooksRepository } from './webhooks.repository.js';

/** Number of consecutive failed deliveries that makes a webhook inactive. */
const MAX_FAILURES = 100;

/** Handles the outcome of attempts: schedules retries and disables failing webhooks. */
@Injectable()
export class WebhookEndingsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly webhooks: WebhooksRepository,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly events: ProjectEventsService,
  ) {}

  /** Records the outcome of an attempt that began at `at`. */
  async note(delivery: LeasedDelivery, at: Date, { status, answer, error }: AttemptResult): Promise<void> {
    const { webhook_id: id, company_id, url } = delivery;
    const isTaken = status !== null && status >= 200 && status < 300;
    const next = isTaken ? null : nextAttempt(delivery.attempts + 1, delivery.first_attempt_at ?? at, new Date());
    const state = isTaken ? 'delivered' : next === null ? 'failed' : 'pending';
    await this.database.transaction(async (tx) => {
      const [webhooks, deliveries] = [tx.withRepository(this.webhooks), tx.withRepository(this.deliveries)];
      // The webhook is always locked before its deliveries, to prevent deadlocks.
      if (state === 'delivered') await webhooks.noteSuccess(id);
      const isDisabled = state === 'failed' && (await webhooks.noteFailure(id, MAX_FAILURES));
      await deliveries.note(delivery, {
        at,
        state,
        next_attempt_at: next,
        response_status: status,
        response: answer,
        error,
      });
      if (isDisabled) {
        await deliveries.failPending(id, 'The webhook became inactive');
        await this.events.noteInCompany(tx, company_id, 'webhook.disabled', { webhook_id: id, url });
      }
    });
  }
}
