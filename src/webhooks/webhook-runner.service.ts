import { randomUUID } from 'node:crypto';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { Config } from '../config/config.js';
import { Lease, LeaseLost } from '../platform/leases/lease.js';
import { LOGGER } from '../platform/logging/logging.module.js';
import { type DueDelivery, WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import { WebhookEndings } from './webhook-endings.service.js';
import { WebhookQueue } from './webhook-queue.service.js';
import { WebhookSecrets } from './webhook-secrets.service.js';
import { send } from './webhook-sender.js';
import { signedHeaders } from './webhook-signature.js';
import { type LeasedWebhook, WebhooksRepository } from './webhooks.repository.js';

const AT_ONCE = 100;
/** Projects whose events go to one webhook at once. */
const STREAMS_AT_ONCE = 4;

/** The process stops. */
class ShuttingDown extends Error {}

/**
 * Sends what is due to webhooks, in one process at a time to each: the events of a project one after the other, those of
 * several at once. One that fails is tried later, and those behind it go on.
 */
@Injectable()
export class WebhookRunner implements OnModuleInit, OnModuleDestroy {
  private readonly owner = randomUUID();
  private readonly running = new Set<Lease>();
  private isStopping = false;

  constructor(
    private readonly config: Config,
    private readonly webhooks: WebhooksRepository,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly secrets: WebhookSecrets,
    private readonly endings: WebhookEndings,
    private readonly queue: WebhookQueue,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.queue.handle(async (id) => await this.run(id));
  }

  /** What is under way is sent again by another process. */
  onModuleDestroy(): void {
    this.isStopping = true;
    for (const lease of this.running) lease.abort(new ShuttingDown());
  }

  /** Delivers all that is due to a webhook, unless another process does. */
  async run(webhook_id: string): Promise<void> {
    do {
      if (this.isStopping) return;
      const webhook = await this.webhooks.claim(webhook_id, this.owner);
      if (webhook === undefined) return;
      await this.hold(webhook);
      // Whoever was woken meanwhile has left it to this one.
    } while ((await this.deliveries.due(webhook_id, 1)).length > 0);
  }

  private async hold(webhook: LeasedWebhook): Promise<void> {
    const lease = new Lease(async () => await this.webhooks.renew(webhook), this.logger);
    this.running.add(lease);
    if (this.isStopping) lease.abort(new ShuttingDown());
    try {
      const secret = await this.secrets.open(webhook.id, webhook.secret);
      for (let due = await this.next(webhook, lease); due.length > 0; due = await this.next(webhook, lease)) {
        await this.deliver(webhook, secret, due, lease.signal);
      }
    } catch (error) {
      if (!(error instanceof LeaseLost || error instanceof ShuttingDown)) throw error;
    } finally {
      this.running.delete(lease);
      lease.stop();
      await this.webhooks.release(webhook);
    }
  }

  private async next({ id }: LeasedWebhook, { signal }: Lease): Promise<DueDelivery[]> {
    signal.throwIfAborted();
    return await this.deliveries.due(id, AT_ONCE);
  }

  private async deliver(
    webhook: LeasedWebhook,
    secret: string,
    due: readonly DueDelivery[],
    signal: AbortSignal,
  ): Promise<void> {
    const byStream = new Map<string, DueDelivery[]>();
    for (const delivery of due)
      byStream.set(delivery.stream_id, [...(byStream.get(delivery.stream_id) ?? []), delivery]);
    const streams = [...byStream.values()];
    const work = async (): Promise<void> => {
      for (let stream = streams.shift(); stream !== undefined; stream = streams.shift()) {
        for (const delivery of stream) await this.attempt(webhook, secret, delivery, signal);
      }
    };
    const settled = await Promise.allSettled(Array.from({ length: STREAMS_AT_ONCE }, work));
    const failed = settled.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /** @throws the signal's reason when it aborts before */
  private async attempt(
    { id, company_id, url }: LeasedWebhook,
    secret: string,
    delivery: DueDelivery,
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    const at = new Date();
    const headers = signedHeaders(secret, delivery.message_id, at, delivery.body);
    const sent = await send(url, headers, delivery.body, { rules: this.config.webhookAddresses, signal });
    await this.endings.note({ id, company_id, url }, delivery, at, sent);
  }
}
