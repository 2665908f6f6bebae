import { Injectable } from '@nestjs/common';
import { DatabaseProbeService } from '../database-probe.service.js';
import { MetricsService } from '../../common/metrics/metrics.service.js';
import { BACKLOG, type Backlog } from './jobs.repository.js';

/** Solves are jobs too and may take an hour. */
const BUCKETS = [0.01, 0.05, 0.25, 1, 5, 15, 60, 300, 1800];

/** How the jobs of all processes wait, and how those of this process end. */
@Injectable()
export class JobMetricsService {
  private readonly durations;

  constructor(
    metrics: MetricsService,
    private readonly probe: DatabaseProbeService,
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

  /** What waits; tasks without waiting jobs are left out. */
  async backlog(): Promise<Backlog[]> {
    return await this.probe.read<Backlog & Record<string, unknown>>(BACKLOG);
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
