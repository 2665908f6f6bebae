import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import type { Logger } from 'pino';
import { Config } from '../config/config.js';
import { envelopeOf } from '../events/envelope.js';
import { EventsChannel } from '../events/events.channel.js';
import { EventsRepository, type OutgoingEvent } from '../events/events.repository.js';
import { Database } from '../platform/database/database.service.js';
import { IntervalRunner } from '../platform/leases/interval-runner.js';
import { LOGGER } from '../platform/logging/logging.module.js';
import { type Relayed, WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import { WebhookQueue } from './webhook-queue.service.js';

const AT_ONCE = 500;
/** Notifications can get lost, and retries fall due. */
const LOOK_MS = 2_000;
/** Least time between two looks because of notifications. */
const PACE_MS = 100;

/**
 * Makes deliveries of the events in the outbox: an event leaves it in the transaction that adds its deliveries, so each is
 * delivered although a process dies. On every worker process, one of them at a time.
 */
@Injectable()
export class WebhookRelay implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  private looks: IntervalRunner | undefined;
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly events: EventsRepository,
    private readonly channel: EventsChannel,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly queue: WebhookQueue,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    if (this.config.ROLE === 'api') return;
    this.channel.listen(() => {
      this.timer ??= setTimeout(() => {
        this.timer = undefined;
        this.looking = this.relay().catch((err: unknown) => {
          this.logger.warn({ err }, 'events could not be relayed to webhooks');
        });
      }, PACE_MS);
    });
  }

  onApplicationBootstrap(): void {
    if (this.config.ROLE === 'api') return;
    const look = async (): Promise<void> => {
      await this.relay();
      await this.queue.rewake();
    };
    this.looks = new IntervalRunner(look, 'events could not be relayed to webhooks', this.logger, LOOK_MS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearTimeout(this.timer);
    await this.looks?.stop();
    await this.looking;
  }

  private async relay(): Promise<void> {
    while ((await this.relayPage()) === AT_ONCE);
  }

  private async relayPage(): Promise<number> {
    return await this.database.transaction(async (tx) => {
      const taken = await tx.withRepository(this.events).takeOut(AT_ONCE);
      if (taken.length === 0) return 0;
      const webhooks = await tx.withRepository(this.deliveries).relay(taken.map(relayed));
      for (const id of webhooks) await this.queue.wake(tx, id);
      return taken.length;
    });
  }
}

function relayed({ company_id, stream_id, of_company, ...event }: OutgoingEvent): Relayed {
  const project_id = of_company ? null : stream_id;
  const { id, type, at } = event;
  return {
    company_id,
    stream_id,
    project_id,
    type,
    at,
    message_id: `${stream_id}_${id}`,
    body: envelopeOf(event, project_id),
  };
}
