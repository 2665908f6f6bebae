import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { MetricsService } from '../common/metrics/metrics.service.js';
import { poolOf } from './data-source.js';

/** Reports how this process uses its database connections. */
@Injectable()
export class DatabaseMetricsService {
  constructor(metrics: MetricsService, source: DataSource) {
    const pool = poolOf(source);
    metrics.gauges(
      [
        {
          name: 'pws_database_connections',
          help: 'Pool connections by state (used, idle)',
          labels: ['state'],
        },
        { name: 'pws_database_connections_max', help: 'Maximum number of pool connections' },
        { name: 'pws_database_requests_waiting', help: 'Work that waits for a pool connection' },
      ],
      () => ({
        pws_database_connections: [
          { labels: { state: 'used' }, value: pool.totalCount - pool.idleCount },
          { labels: { state: 'idle' }, value: pool.idleCount },
        ],
        pws_database_connections_max: pool.options.max,
        pws_database_requests_waiting: pool.waitingCount,
      }),
    );
  }
}
