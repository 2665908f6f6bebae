import { createHash, timingSafeEqual } from 'node:crypto';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { collectDefaultMetrics } from 'prom-client';
import { Config } from '../config/config.js';
import { PathNotFound, NotAuthenticated } from '../common/errors/errors.js';
import { MetricsService } from '../common/metrics/metrics.service.js';
import { UnauthenticatedLimitService } from '../common/throttling/unauthenticated-limit.service.js';

/** Provides metrics to authorized callers. Metrics contain routes and numbers, but no data about companies or people. */
@Injectable()
export class MetricsAccessService implements OnApplicationBootstrap {
  constructor(
    private readonly config: Config,
    private readonly metrics: MetricsService,
    private readonly unauthenticatedLimit: UnauthenticatedLimitService,
  ) {}

  onApplicationBootstrap(): void {
    // Collects memory use, CPU time and event loop delay. These are measured continuously, so they are collected only if
    // metrics are on.
    if (this.config.METRICS) collectDefaultMetrics({ register: this.metrics.registry });
  }

  /**
   * Returns the metrics in the Prometheus text format.
   * @param address the client's address
   * @throws DomainError 404 if metrics are off
   * @throws NotAuthenticated without the required token
   * @throws TooManyRequests after too many requests without the token
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
const isSame = (actual: string, expected: string): boolean => timingSafeEqual(digest(actual), digest(expected));
