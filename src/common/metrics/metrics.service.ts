import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Counter, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import { LOGGER } from '../logging/logging.module.js';

/** Name, help text and label names. A label must have few values, so never use an id, a path or anything chosen by a client. */
export interface MetricOptions<Label extends string> {
  /** Ends with the unit, as is usual in Prometheus: `..._seconds`, `..._total`. */
  name: string;
  help: string;
  labels?: readonly Label[];
}

export interface Reading {
  value: number;
  labels?: Record<string, string>;
}

/** Gauge values by name. A gauge without labels has a single number. */
export type Readings = Record<string, number | readonly Reading[]>;

/** Bucket bounds in seconds, from a fast read to a request that timed out. */
const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Metrics of an application. They have their own registry, because a process may hold several applications. */
@Injectable()
export class MetricsService {
  readonly registry = new Registry();
  private readonly readings: { gauges: Map<string, Gauge>; read: () => Readings | Promise<Readings> }[] = [];
  private scraping: Promise<string> | undefined;

  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  counter<Label extends string>({ name, help, labels = [] }: MetricOptions<Label>): Counter<Label> {
    return new Counter({ name, help, labelNames: labels, registers: [this.registry] });
  }

  histogram<Label extends string>(
    { name, help, labels = [] }: MetricOptions<Label>,
    buckets: number[] = DURATION_BUCKETS,
  ): Histogram<Label> {
    return new Histogram({ name, help, labelNames: labels, buckets, registers: [this.registry] });
  }

  /**
   * Declares gauges whose values `read` returns together on every scrape.
   *
   * `read` must be cheap and take bounded time, as in {@link DatabaseProbeService}. If it fails, its gauges are absent.
   */
  gauges(options: readonly MetricOptions<string>[], read: () => Readings | Promise<Readings>): void {
    const entries = options.map(({ name, help, labels = [] }): [string, Gauge] => [
      name,
      new Gauge({ name, help, labelNames: labels, registers: [this.registry] }),
    ]);
    this.readings.push({ gauges: new Map(entries), read });
  }

  /** Returns all metrics in Prometheus's text format. Concurrent requests share the same result. */
  async scrape(): Promise<string> {
    this.scraping ??= this.readAll().finally(() => {
      this.scraping = undefined;
    });
    return await this.scraping;
  }

  private async readAll(): Promise<string> {
    await Promise.all(
      this.readings.map(async ({ gauges, read }) => {
        const readings = await Promise.resolve()
          .then(read)
          .catch((error: unknown): Readings => {
            this.logger.warn({ err: error, metrics: [...gauges.keys()] }, 'metrics could not be read');
            return {};
          });
        for (const [name, gauge] of gauges) fill(gauge, readings[name] ?? []);
      }),
    );
    return await this.registry.metrics();
  }
}

function fill(gauge: Gauge, readings: number | readonly Reading[]): void {
  gauge.reset();
  // A gauge that has no labels reports 0 after a reset.
  if (isPlain(gauge)) gauge.remove();
  for (const { value, labels = {} } of typeof readings === 'number' ? [{ value: readings }] : readings)
    gauge.set(labels, value);
}

const isPlain = (metric: Metric): boolean => (metric as unknown as { labelNames: string[] }).labelNames.length === 0;
