import { Injectable } from '@nestjs/common';
import { MetricsService } from '../../common/metrics/metrics.service.js';
import { DatabaseProbeService } from '../database-probe.service.js';

/** Solves may take an hour. */
const BUCKETS = [0.01, 0.05, 0.25, 1, 5, 15, 60, 300, 1800];

/** How work ended: finished, given up to another process, or with an error. */
type Outcome = 'done' | 'left' | 'failed';

/** What waits in a queue. */
export interface Backlog {
  task: string;
  waiting: number;
  /** How long the first of it has waited; 0 when nothing waits. */
  oldest_seconds: number;
}

/** How the work of all processes waits, and how that of this process ends. */
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
        help: 'Work outside of requests that this process has done, by task and outcome (done, left, failed)',
        labels: ['task', 'outcome'],
      },
      BUCKETS,
    );
    metrics.gauges(
      [
        { name: 'pws_jobs_waiting', help: 'Work of all processes that waits for a worker', labels },
        { name: 'pws_job_oldest_waiting_seconds', help: 'How long the first waiting work has waited', labels },
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

  /** Has what waits in a queue shown. @param select one row of `waiting` and `oldest_seconds` */
  watchBacklog(task: string, select: string): void {
    this.backlogs.push(`SELECT '${task}' AS task, waiting, oldest_seconds FROM (${select}) q`);
  }

  /** What waits in the queues that are watched. */
  async backlog(): Promise<Backlog[]> {
    if (this.backlogs.length === 0) return [];
    return await this.probe.read<Backlog & Record<string, unknown>>(this.backlogs.join(' UNION ALL '));
  }

  /** Begins to measure work of a task; the function that is returned ends it. */
  startTimer(task: string): (outcome: Outcome) => void {
    const end = this.durations.startTimer({ task });
    return (outcome) => {
      end({ outcome });
    };
  }
}
