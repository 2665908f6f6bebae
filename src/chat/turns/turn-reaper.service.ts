import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { LeaseLost } from '../../common/leases/lease.js';
import { LOGGER } from '../../common/logging/logging.module.js';
import { INTERRUPTED, TurnEndingsService } from './turn-endings.service.js';
import { TurnMetricsService } from './turn-metrics.service.js';
import { TurnQueueService } from './turn-queue.service.js';
import { idsOf, type LeasedTurn } from './turns.repository.js';

/** Recovers turns whose process has died. */
@Injectable()
export class TurnReaperService {
  constructor(
    private readonly queue: TurnQueueService,
    private readonly endings: TurnEndingsService,
    private readonly metrics: TurnMetricsService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Retries or ends every abandoned turn, and removes old events. */
  async recover(): Promise<void> {
    for (const turn of await this.queue.expired()) await this.recoverTurn(turn);
    await this.queue.evictEvents();
  }

  private async recoverTurn(turn: LeasedTurn): Promise<void> {
    try {
      const isRedispatched = await this.queue.redispatch(turn, 'reaper');
      if (!isRedispatched) {
        await this.endings.end(turn, 'reaper', INTERRUPTED);
        this.metrics.countEnd(INTERRUPTED.outcome);
      }
      this.logger.warn({ ...idsOf(turn), again: isRedispatched }, 'a turn was abandoned by its process');
    } catch (error) {
      // The owner is active again, or another process has recovered the turn first.
      if (!(error instanceof LeaseLost))
        this.logger.error({ err: error, ...idsOf(turn) }, 'an abandoned turn could not be recovered');
    }
  }
}
