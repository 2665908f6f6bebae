import { createHash, timingSafeEqual } from 'node:crypto';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { collectDefaultMetrics } from 'prom-client';
import { Config } from '../config/config.js';
import { PathNotFound, NotAuthenticated } from '../common/errors/errors.js';
import { MetricsService } from '../common/metrics/metrics.service.js';
import { UnauthenticatedLimitService } from '../common/throttling/unauthenticated-limit.service.js';

/** Metrics for authorised callers. They contain routes and numbers, no tenants or persons. */
@Injectable()
export class MetricsAccessService implements OnApplicationBootstrap {
  constructor(
    private readonly config: Config,
    private readonly metrics: MetricsService,
    private readonly unauthenticatedLimit: UnauthenticatedLimitService,
  ) {}

  onApplicationBootstrap(): void {
    // Memory, processor time, delay of the event loop. It measures all the time.
    if (this.config.METRICS) collectDefaultMetrics({ register: this.metrics.registry });
  }

  /**
   * @param address of who asks
   * @throws DomainError 404 where metrics are off, NotAuthenticated without the token that is asked for, TooManyRequests
   * where there were too many of those
   */
  async scrape(authorization: string | undefined, address: string | undefined): Promise<string> {
    const { METRICS, METRICS_TOKEN } = this.config;
    if (!METRICS) throw new PathNotFound();
    if (METRICS_TOKEN !== undefined && !isSame(authorization ?? '', `Bearer ${METRICS_TOKEN}`)) {
      await this.unauthenticatedLimit.count(address);
      throw new NotAuthenticated('credentials_invalid');
    }
    return await this.metrics.scrape();
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const isSame = (given: string, wanted: string): boolean => timingSafeEqual(digest(given), digest(wanted));
