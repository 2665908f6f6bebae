import { Inject, Injectable, type OnModuleDestroy, ServiceUnavailableException } from '@nestjs/common';
import { HealthCheckService, HealthIndicatorService, type HealthCheckResult } from '@nestjs/terminus';
import type { Logger } from 'pino';
import { DatabaseProbeService } from '../database/database-probe.service.js';
import { InsufficientStorage } from '../common/errors/errors.js';
import { QueueMetricsService } from '../database/queues/queue-metrics.service.js';
import { LOGGER } from '../common/logging/logging.module.js';
import { ObjectStore } from '../storage/object-store.js';
import { HealthOfPart, type HealthOfParts, type ReadinessResponse } from './health.dto.js';
import { NotReady } from './not-ready.filter.js';

/** Timeout for a check. */
const TIMEOUT_MS = 3_000;
/** Requests within this time share a check, because the endpoint is public. */
const SHARED_MS = 1_000;
const MAX_WAIT_SECONDS = 60;

type Part = keyof HealthOfParts;
type PartCheck = () => Promise<{ degraded?: string }>;

/** Checks the health of this process and its dependencies. */
@Injectable()
export class HealthService implements OnModuleDestroy {
  private isStopping = false;
  private readonly checksByPart: Record<Part, PartCheck>;
  /** Functions that return how long the oldest work in each queue has waited, in seconds. */
  private readonly queues: (() => Promise<number>)[];

  constructor(
    private readonly checks: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    probe: DatabaseProbeService,
    store: ObjectStore,
    queues: QueueMetricsService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.queues = [async () => Math.max(0, ...(await queues.backlog()).map(({ oldest_seconds }) => oldest_seconds))];
    this.checksByPart = {
      database: async () => {
        await probe.ping();
        return {};
      },
      object_store: async () => {
        try {
          await store.check();
          return {};
        } catch (error) {
          // Stored files can still be read.
          if (error instanceof InsufficientStorage) return { degraded: 'The file store is full' };
          throw error;
        }
      },
      queue: async () => {
        const waits = await Promise.all(this.queues.map(async (wait) => await wait()));
        const longest = Math.floor(Math.max(...waits));
        return longest > MAX_WAIT_SECONDS ? { degraded: `The oldest waiting work has waited for ${longest} s` } : {};
      },
    };
  }

  /**
   * Adds a queue to the health check.
   * @param wait returns how many seconds the oldest work has waited, or 0 for an empty queue
   */
  watchQueue(wait: () => Promise<number>): void {
    this.queues.push(wait);
  }

  /** Marks the process as not ready. It finishes its work but should get no new requests. */
  stopping(): void {
    this.isStopping = true;
  }

  onModuleDestroy(): void {
    this.stopping();
  }

  /**
   * Returns the state of the process within a few seconds.
   * @throws NotReady if the process should get no requests
   */
  async readiness(): Promise<ReadinessResponse> {
    const parts = Object.keys(this.checksByPart) as Part[];
    const { details } = await this.checks.check(parts.map((part) => () => this.check(part))).catch(resultOf);
    const of = (part: Part): HealthOfPart => healthOf(details[part]);
    const states = { database: of('database'), object_store: of('object_store'), queue: of('queue') };
    const isWhole = Object.values(states).every(({ status }) => status === 'up');
    // Without the file store, the process is only `degraded`: most requests still work, and other processes use the same store.
    const worst = states.database.status === 'down' ? 'error' : isWhole ? 'ok' : 'degraded';
    const answer: ReadinessResponse = { status: this.isStopping ? 'stopping' : worst, parts: states };
    if (answer.status === 'error' || answer.status === 'stopping') throw new NotReady(answer);
    return answer;
  }

  /** Checks a part of the service. Errors are reported with fixed messages because driver messages reveal addresses. */
  private async check(part: Part) {
    const attempt = async (): Promise<{ degraded?: string }> => {
      try {
        return await this.checksByPart[part]();
      } catch (error) {
        this.logger.warn({ err: error, part }, 'a part of the service does not work');
        throw new Error('It is unavailable');
      }
    };
    const result = await this.indicators.check(part).attempt(attempt).withTimeout(TIMEOUT_MS).cacheFor(SHARED_MS);
    const { degraded } = result[part] as { degraded?: string };
    return degraded === undefined ? result : this.indicators.check(part).degraded(degraded);
  }
}

/** Returns the result of failed checks in the same format as successful checks. */
function resultOf(error: unknown): HealthCheckResult {
  if (error instanceof ServiceUnavailableException) return error.getResponse() as HealthCheckResult;
  throw error;
}

function healthOf(detail: { status?: string; message?: unknown } | undefined): HealthOfPart {
  if (detail?.status === 'up') return HealthOfPart.up;
  const message = typeof detail?.message === 'string' ? detail.message : null;
  return { status: detail?.status === 'degraded' ? 'degraded' : 'down', message };
}
