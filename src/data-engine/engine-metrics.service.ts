import { Injectable } from '@nestjs/common';
import type { Counter, Histogram } from 'prom-client';
import { MetricsService } from '../common/metrics/metrics.service.js';
import { type Task, TaskProblem } from '../../packages/data-engine/index.js';

/** Prometheus metrics of the data engine. */
@Injectable()
export class EngineMetricsService {
  private readonly tasks: Counter<'kind' | 'outcome'>;
  private readonly durations: Histogram<'kind'>;
  private readonly restarts: Counter;

  constructor(private readonly metrics: MetricsService) {
    this.tasks = metrics.counter({
      name: 'pws_data_engine_tasks_total',
      help: 'Data engine tasks by kind and outcome: ok, a problem code, or failed',
      labels: ['kind', 'outcome'],
    });
    this.durations = metrics.histogram({
      name: 'pws_data_engine_task_seconds',
      help: 'Seconds that a task took after it got a process',
      labels: ['kind'],
    });
    this.restarts = metrics.counter({
      name: 'pws_data_engine_restarts_total',
      help: 'Processes that died during a task and were replaced',
    });
  }

  observe(read: () => { processes: number; waiting: number }): void {
    this.metrics.gauges(
      [
        { name: 'pws_data_engine_processes', help: 'Running data engine processes' },
        { name: 'pws_data_engine_waiting', help: 'Tasks that wait for a process' },
      ],
      () => {
        const { processes, waiting } = read();
        return { pws_data_engine_processes: processes, pws_data_engine_waiting: waiting };
      },
    );
  }

  countRestart(): void {
    this.restarts.inc();
  }

  /** Measures the duration and outcome of a task. */
  async measure<T>(kind: Task['kind'], work: () => Promise<T>): Promise<T> {
    const stop = this.durations.startTimer({ kind });
    let outcome = 'failed';
    try {
      const answer = await work();
      outcome = 'ok';
      return answer;
    } catch (error) {
      if (error instanceof TaskProblem) outcome = error.code;
      throw error;
    } finally {
      stop();
      this.tasks.inc({ kind, outcome });
    }
  }
}
