import { Injectable } from '@nestjs/common';
import { DatabaseProbeService } from '../../database/database-probe.service.js';
import { HealthService } from '../../health/health.service.js';
import { MetricsService } from '../../common/metrics/metrics.service.js';
import type { TurnOutcome } from './turn.entity.js';
import { COUNT_ACTIVE_TURNS } from './turns.repository.js';

/** Turn metrics. Outcomes are counted per process, and the queue gauges cover all processes. */
@Injectable()
export class TurnMetricsService {
  private readonly outcomes;

  constructor(
    private readonly metrics: MetricsService,
    private readonly probe: DatabaseProbeService,
    health: HealthService,
  ) {
    this.outcomes = metrics.counter({
      name: 'pws_turns_ended_total',
      help: 'Turns ended by this process, by outcome',
      labels: ['outcome'],
    });
    health.watchQueue(async () => (await this.readAges())['pws_turn_oldest_waiting_seconds'] ?? 0);
    metrics.gauges(
      [
        { name: 'pws_turns_waiting', help: 'Turns of all processes that wait for a worker' },
        { name: 'pws_turns_running', help: 'Running turns of all processes' },
        { name: 'pws_turn_oldest_waiting_seconds', help: 'Seconds that the oldest waiting turn has waited' },
      ],
      async () => await this.readAges(),
    );
  }

  /** Counts an ended turn. Must be called after its end was committed. */
  countEnd(outcome: TurnOutcome): void {
    this.outcomes.inc({ outcome });
  }

  /** Registers the gauge for the number of turns whose lease this process holds. */
  registerLeaseGauge(count: () => number): void {
    this.metrics.gauges([{ name: 'pws_turn_leases_held', help: 'Running turns of this process' }], () => ({
      pws_turn_leases_held: count(),
    }));
  }

  private async readAges(): Promise<Record<string, number>> {
    const [row] = await this.probe.read<Record<string, number>>(COUNT_ACTIVE_TURNS);
    return row ?? {};
  }
}
