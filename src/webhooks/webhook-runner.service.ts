import { randomUUID } from 'node:crypto';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { Config } from '../config/config.js';
import { Lease, LeaseLost } from '../common/leases/lease.js';
import { unlessAborted } from '../common/leases/unless-aborted.js';
import { LOGGER } from '../common/logging/logging.module.js';
import { FairShares } from '../common/throttling/fair-shares.js';
import { type DueDelivery, WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import { WebhookEndingsService } from './webhook-endings.service.js';
import { CONCURRENCY, WebhookQueueService } from './webhook-queue.service.js';
import { WebhookSecretsService } from './webhook-secrets.service.js';
import { send } from './webhook-sender.js';
import { signedHeaders } from './webhook-signature.js';
import { type LeasedWebhook, WebhooksRepository } from './webhooks.repository.js';

/** How long a webhook is delivered to until others have their turn: about as long as one attempt may take. */
const TURN_MS = 10_000;
/** Webhooks of a company that are delivered to at once: those whose receivers hang leave room for others. */
const MOST_OF_COMPANY = CONCURRENCY / 2;
/** Projects whose events go to one webhook at once, and retries beside them. */
const STREAMS_AT_ONCE = 4;
const RETRIES_AT_ONCE = 2;
/** Maximum number of attempts of a webhook, and of all webhooks of a company, that a process makes at once. */
const ATTEMPTS_OF_WEBHOOK = STREAMS_AT_ONCE + RETRIES_AT_ONCE;
const ATTEMPTS_OF_COMPANY = 10;
/** So many projects, events of each, and retries are read at once. */
const STREAMS_READ = 50;
const EACH_READ = 20;
const RETRIES_READ = 20;

/** The process stops. */
class ShuttingDown extends Error {}

/** What was to be sent is not to be sent any more: the webhook is inactive or gone. */
class Withdrawn extends Error {}

/**
 * Sends what is due to webhooks, in one process at a time to each: the events of a project one after the other, those of
 * several at once. One that fails is tried later, beside those that come for the first time, which never wait for it again.
 * After its turn a webhook comes behind others that wait.
 */
@Injectable()
export class WebhookRunnerService implements OnModuleInit, OnModuleDestroy {
  private readonly owner = randomUUID();
  private readonly running = new Set<Lease>();
  /** Lanes leave as soon as their turn is over, so none waits for much longer than a turn. */
  private readonly attempts = new FairShares(Infinity, 60 * TURN_MS);
  private isStopping = false;

  constructor(
    private readonly config: Config,
    private readonly webhooks: WebhooksRepository,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly secrets: WebhookSecretsService,
    private readonly endings: WebhookEndingsService,
    private readonly queue: WebhookQueueService,
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

  /** Delivers what is due to a webhook for a turn, unless another process does. */
  async run(webhook_id: string): Promise<void> {
    if (this.isStopping) return;
    const webhook = await this.webhooks.claim(webhook_id, this.owner, MOST_OF_COMPANY);
    if (webhook === undefined) return;
    await this.hold(webhook);
    // Whoever was woken meanwhile has left it to this one.
    if (await this.deliveries.hasDue(webhook_id)) await this.queue.wakeEach([{ id: webhook_id }]);
  }

  private async hold(webhook: LeasedWebhook): Promise<void> {
    const lease = new Lease(async () => await this.webhooks.renew(webhook), this.logger);
    this.running.add(lease);
    if (this.isStopping) lease.abort(new ShuttingDown());
    try {
      const turn = { webhook, signal: lease.signal, ends: performance.now() + TURN_MS };
      const secret = await this.secrets.open(webhook.id, webhook.secret);
      while (await this.round({ ...turn, secret }));
    } catch (error) {
      if (!(error instanceof LeaseLost || error instanceof ShuttingDown || error instanceof Withdrawn)) throw error;
    } finally {
      this.running.delete(lease);
      lease.stop();
      await this.webhooks.release(webhook);
    }
  }

  /** Delivers some of what is due; false when nothing is, or the turn is over. */
  private async round(turn: Turn): Promise<boolean> {
    turn.signal.throwIfAborted();
    const { id } = turn.webhook;
    const first = await this.deliveries.first(id, STREAMS_READ, EACH_READ);
    const again = await this.deliveries.again(id, RETRIES_READ);
    const retries = again.map((delivery) => [delivery]);
    const settled = await Promise.allSettled([
      ...this.lanes(turn, inStreams(first), STREAMS_AT_ONCE),
      ...this.lanes(turn, retries, RETRIES_AT_ONCE),
    ]);
    const failed = settled.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return first.length + again.length > 0 && isOn(turn);
  }

  /** Attempts lists of deliveries, so many lists at once and each in its order, until the turn is over. */
  private lanes(turn: Turn, lists: DueDelivery[][], atOnce: number): Promise<void>[] {
    return Array.from({ length: atOnce }, async () => {
      for (let list = lists.shift(); list !== undefined; list = lists.shift()) {
        for (const delivery of list) {
          await this.attemptInTurn(turn, delivery);
          if (!isOn(turn)) return;
        }
      }
    });
  }

  /** Makes an attempt once the company has a place for it, unless the webhook's turn is over by then. */
  private async attemptInTurn(turn: Turn, delivery: DueDelivery): Promise<void> {
    const { id, company_id } = turn.webhook;
    const ticket = this.attempts.take(1, [
      { key: id, limit: ATTEMPTS_OF_WEBHOOK },
      { key: company_id, limit: ATTEMPTS_OF_COMPANY },
    ]);
    try {
      if (ticket.granted !== undefined) await unlessAborted(ticket.granted, turn.signal);
      if (isOn(turn)) await this.attempt(turn, delivery);
    } finally {
      ticket.leave();
    }
  }

  /** @throws Withdrawn @throws the signal's reason when it aborts before */
  private async attempt({ webhook, secret, signal }: Turn, delivery: DueDelivery): Promise<void> {
    signal.throwIfAborted();
    const at = new Date();
    const headers = signedHeaders(secret, delivery.message_id, at, delivery.body);
    const sent = await send(webhook.url, headers, delivery.body, { rules: this.config.webhookAddresses, signal });
    if (!(await this.endings.note(webhook, delivery, at, sent))) throw new Withdrawn();
  }
}

/** A time in which a webhook is delivered to. */
interface Turn {
  webhook: LeasedWebhook;
  secret: string;
  signal: AbortSignal;
  /** In milliseconds of `performance.now()`: from then on no attempt begins. */
  ends: number;
}

const isOn = ({ ends }: Turn): boolean => performance.now() < ends;

/** Deliveries by project, in their order. */
function inStreams(deliveries: readonly DueDelivery[]): DueDelivery[][] {
  const streams = new Map<string, DueDelivery[]>();
  for (const delivery of deliveries)
    streams.set(delivery.stream_id, [...(streams.get(delivery.stream_id) ?? []), delivery]);
  return [...streams.values()];
}
