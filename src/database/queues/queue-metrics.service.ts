import { Injectable } from '@nestjs/common';
import { MetricsService } from '../../common/metrics/metrics.service.js';
import { DatabaseProbeService } from '../database-probe.service.js';

/** Upper bounds in seconds. Solves may take an hour. */
const BUCKETS = [0.01, 0.05, 0.25, 1, 5, 15, 60, 300, 1800];

/** Outcome of work: done, left to another process, or failed. */
type Outcome = 'done' | 'left' | 'failed';

/** Waiting work in a queue. */
export interface Backlog {
  task: string;
  waiting: number;
  /** Age of the oldest waiting item. 0 if the queue is empty. */
  oldest_seconds: number;
}

/** Measures the waiting work of all processes and the outcomes of work in this process. */
@Injectable()
export class QueueMetricsService {
  private readonly durations;
  private readonly backlogs: string[] = [];

  constructor(
    metrics: MetricsService,
    private readonly probe: DatabaseProbeService,
  ) {
    const labels = ['task'];
    this.durations = metrics.histogram(
      {
        name: 'pws_job_duration_seconds',
        help: 'Seconds of background work in this process, by task and outcome (done, left, failed)',
        labels: ['task', 'outcome'],
      },
      BUCKETS,
    );
    metrics.gauges(
      [
        { name: 'pws_jobs_waiting', help: 'Background work of all processes that waits for a worker', labels },
        { name: 'pws_job_oldest_waiting_seconds', help: 'Seconds that the oldest waiting work has waited', labels },
      ],
      async () => {
        const backlog = await this.backlog();
        const readings = (value: (task: Backlog) => number) =>
          backlog.map((entry) => ({ labels: { task: entry.task }, value: value(entry) }));
        return {
          pws_jobs_waiting: readings(({ waiting }) => waiting),
          pws_job_oldest_waiting_seconds: readings(({ oldest_seconds }) => oldest_seconds),
        };
      },
    );
  }

  /**
   * Adds a queue to the backlog metrics.
   * @param select query that returns one row of `waiting` and `oldest_seconds`
   */
  watchBacklog(task: string, select: string): void {
    this.backlogs.push(`SELECT '${task}' AS task, waiting, oldest_seconds FROM (${select}) q`);
  }

  /** Returns the backlog of every watched queue. */
  async backlog(): Promise<Backlog[]> {
    if (this.backlogs.length === 0) return [];
    return await this.probe.read<Backlog & Record<string, unknown>>(this.backlogs.join(' UNION ALL '));
  }

  /** Starts measuring the duration of a task. Call the returned function when the work ends. */
  startTimer(task: string): (outcome: Outcome) => void {
    const end = this.durations.startTimer({ task });
    return (outcome) => {
      end({ outcome });
    };
  }
}
