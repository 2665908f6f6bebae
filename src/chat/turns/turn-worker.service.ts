import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Agent } from '../../agent/agent.js';
import { Config } from '../../config/config.js';
import type { Claimed, RowQueue } from '../../database/queues/row-queue.js';
import { RowQueuesService } from '../../database/queues/row-queues.service.js';
import { TurnMetricsService } from './turn-metrics.service.js';
import { TurnQueueService } from './turn-queue.service.js';
import { TurnReaperService } from './turn-reaper.service.js';
import { TurnRunnerService } from './turn-runner.service.js';
import { idsOf, type LeasedTurn, TURN_QUEUE } from './turns.repository.js';

/** Time that running turns get to finish when the process stops. */
const GRACE_MS = 20_000;
/** Delay before the next claim if waiting turns were skipped because their conversations are locked. */
const AGAIN_MS = 20;

/** Runs turns in this process, up to its capacity. */
@Injectable()
export class TurnWorkerService implements OnModuleInit {
  private rows: RowQueue<LeasedTurn> | undefined;

  constructor(
    private readonly config: Config,
    private readonly agent: Agent,
    private readonly queues: RowQueuesService,
    private readonly queue: TurnQueueService,
    private readonly runner: TurnRunnerService,
    private readonly reaper: TurnReaperService,
    private readonly metrics: TurnMetricsService,
  ) {}

  onModuleInit(): void {
    const rows = this.queues.open<LeasedTurn>({
      name: TURN_QUEUE,
      concurrency: this.config.TURNS_CONCURRENCY,
      graceMs: GRACE_MS,
      claim: async (owner, room, running) => await this.claim(owner, room, running),
      renew: async (turn) => await this.queue.renew(turn),
      run: async (turn, lease) => await this.runner.run(turn, lease),
      labels: idsOf,
      reap: async () => await this.reaper.recover(),
    });
    this.metrics.registerLeaseGauge(() => rows.size);
    this.rows = rows;
  }

  /** Aborts a turn in this process that a request or another process has ended. */
  abandon(turn_id: string): void {
    this.rows?.abandon(turn_id);
  }

  private async claim(owner: string, room: number, current: readonly LeasedTurn[]): Promise<Claimed<LeasedTurn>> {
    const running = new Map<string, number>();
    for (const { company_id } of current) running.set(company_id, (running.get(company_id) ?? 0) + 1);
    const { turns, moreWait, someLocked } = await this.queue.claim(owner, this.agent.model, {
      turns: room,
      // Reserves capacity for other companies if one company's turns are slow.
      ofCompany: Math.ceil(this.config.TURNS_CONCURRENCY / 2),
      running,
    });
    if (someLocked) setTimeout(() => this.rows?.wake(), AGAIN_MS);
    return { rows: turns, more: moreWait };
  }
}
