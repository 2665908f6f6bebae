import { Global, Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { MetricsModule } from '../../common/metrics/metrics.module.js';
import { PeriodicWorkService } from './periodic-work.service.js';
import { QueueMetricsService } from './queue-metrics.service.js';
import { RowQueuesService } from './row-queues.service.js';

/** Work outside of requests: {@link RowQueuesService} for rows, {@link PeriodicWorkService} for what is due at set times. */
@Global()
@Module({
  imports: [MetricsModule, ScheduleModule.forRoot()],
  providers: [RowQueuesService, PeriodicWorkService, QueueMetricsService],
  exports: [RowQueuesService, PeriodicWorkService, QueueMetricsService],
})
export class QueuesModule {}
