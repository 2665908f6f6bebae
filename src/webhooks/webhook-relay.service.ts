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
import { DatabaseService } from '../database/database.service.js';
import { IntervalRunner } from '../common/leases/interval-runner.js';
import { LOGGER } from '../common/logging/logging.module.js';
import { type Relayed, WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import { WebhookQueueService } from './webhook-queue.service.js';
import { WebhooksRepository } from './webhooks.repository.js';

const FAILURE = 'events could not be relayed to webhooks';
const NOT_WOKEN = 'webhooks could not be woken';
const AT_ONCE = 500;
/** Retries fall due. */
const LOOK_MS = 2_000;
/** Notifications can get lost. A look at all streams reads the heads of all that are followed. */
const LOOK_AT_ALL_MS = 10_000;
/** Least time between two looks because of notifications. */
const PACE_MS = 100;
/** Time until another try of what has failed. */
const AGAIN_MS = 1_000;

/**
 * Makes deliveries of events: how far a stream was relayed is written in the transaction that adds its deliveries, so each event
 * is delivered although a process dies. On every worker process, one of them at a time.
 */
@Injectable()
export class WebhookRelayService implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  private looks: IntervalRunner[] = [];
  /** Whether anything is to be relayed: without webhooks no change costs anything here. */
  private isFollowed = false;
  /** Streams that have new events. */
  private told = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private isStopping = false;

  constructor(
    private readonly config: Config,
    private readonly database: DatabaseService,
    private readonly events: EventsRepository,
    private readonly channel: EventsChannel,
    private readonly webhooks: WebhooksRepository,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly queue: WebhookQueueService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    if (this.config.ROLE === 'api') return;
    this.channel.listen((stream_id) => {
      if (stream_id === null) {
        for (const look of this.looks) look.wake();
        return;
      }
      if (!this.isFollowed) return;
      this.tell([stream_id], PACE_MS);
    });
    this.channel.listenForFollowers(() => this.looks[0]?.wake());
  }

  onApplicationBootstrap(): void {
    if (this.config.ROLE === 'api') return;
    this.looks = [
      new IntervalRunner(() => this.relayAll(), FAILURE, this.logger, LOOK_AT_ALL_MS),
      new IntervalRunner(() => this.queue.rewake(), NOT_WOKEN, this.logger, LOOK_MS),
    ];
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    clearTimeout(this.timer);
    await Promise.all(this.looks.map(async (look) => await look.stop()));
    await this.looking;
  }

  private async relayAll(): Promise<void> {
    // Before the look: of changes that are told from here on none is passed over.
    this.isFollowed = await this.events.areAnyFollowed();
    if (this.isFollowed) await this.relay(null);
  }

  private tell(streams: readonly string[], afterMs: number): void {
    if (this.isStopping) return;
    for (const stream_id of streams) this.told.add(stream_id);
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.looking = this.looking.then(async () => await this.relayTold());
    }, afterMs);
  }

  private async relayTold(): Promise<void> {
    const streams = [...this.told];
    this.told.clear();
    // Those before took so long that they have seen to these.
    if (streams.length === 0) return;
    try {
      await this.relay(streams);
    } catch (err) {
      this.logger.warn({ err }, FAILURE);
      this.tell(streams, AGAIN_MS);
    }
  }

  private async relay(streams: readonly string[] | null): Promise<void> {
    while ((await this.relayPage(streams)) === AT_ONCE);
  }

  private async relayPage(streams: readonly string[] | null): Promise<number> {
    const { count, webhooks } = await this.database.transaction(async (tx) => {
      const events = tx.withRepository(this.events);
      const page = await events.unrelayed(streams, AT_ONCE);
      const count = page.length;
      if (count === 0) return { count, webhooks: [] };
      const webhooks = await tx.withRepository(this.deliveries).relay(page.map(deliveryOf));
      const full = webhooks.filter(({ skipped }) => skipped > 0);
      if (full.length > 0) await tx.withRepository(this.webhooks).noteSkipped(full);
      await events.markRelayed(page);
      return { count, webhooks };
    });
    await this.queue.wakeEach(webhooks.filter(({ added }) => added > 0).map(({ webhook_id: id }) => ({ id })));
    return count;
  }
}

function deliveryOf({ company_id, stream_id, of_company, ...event }: OutgoingEvent): Relayed {
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
