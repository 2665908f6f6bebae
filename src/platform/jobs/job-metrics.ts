import { Injectable } from '@nestjs/common';
import { DatabaseProbe } from '../database/database-probe.js';
import { Metrics } from '../metrics/metrics.service.js';

/** Jobs of one task that are due and that no worker has taken up. */
export interface Backlog {
  task: string;
  /** Counted up to 10,000 of all tasks together. */
  waiting: number;
  /** How long the first of them has been due. */
  oldest_seconds: number;
}

/** Turns are jobs too and may take an hour. */
const BUCKETS = [0.01, 0.05, 0.25, 1, 5, 15, 60, 300, 1800];

/** How the jobs of all processes wait, and how those of this process end. */
@Injectable()
export class JobMetrics {
  private readonly durations;

  constructor(
    metrics: Metrics,
    private readonly probe: DatabaseProbe,
  ) {
    const labels = ['task'];
    this.durations = metrics.histogram(
      {
        name: 'pws_job_duration_seconds',
        help: 'Jobs that this process has run, by task and outcome (done, failed)',
        labels: ['task', 'outcome'],
      },
      BUCKETS,
    );
    metrics.gauges(
      [
        { name: 'pws_jobs_waiting', help: 'Jobs of all processes that are due and not taken up, up to 10,000', labels },
        { name: 'pws_job_oldest_waiting_seconds', help: 'How long the first waiting job has been due', labels },
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

  /** What waits, tasks without waiting jobs left out. Read from graphile-worker's index of available jobs. */
  async backlog(): Promise<Backlog[]> {
    return await this.probe.read<Backlog & Record<string, unknown>>(
      `SELECT t.identifier AS task, count(*)::integer AS waiting,
              extract(epoch FROM clock_timestamp() - min(j.run_at))::double precision AS oldest_seconds
         FROM (SELECT task_id, run_at FROM graphile_worker._private_jobs
                WHERE is_available AND run_at <= now() ORDER BY priority, run_at LIMIT 10000) j
         JOIN graphile_worker._private_tasks t ON t.id = j.task_id
        GROUP BY t.identifier`,
    );
  }

  /** Runs a job and measures it. */
  async measured(task: string, work: () => Promise<void>): Promise<void> {
    const end = this.durations.startTimer({ task });
    try {
      await work();
    } catch (error) {
      end({ outcome: 'failed' });
      throw error;
    }
    end({ outcome: 'done' });
  }
}
