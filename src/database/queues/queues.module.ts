import { Global, Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { MetricsModule } from '../../common/metrics/metrics.module.js';
import { PeriodicWorkService } from './periodic-work.service.js';
import { QueueMetricsService } from './queue-metrics.service.js';
import { RowQueuesService } from './row-queues.service.js';

/** Runs work outside requests: {@link RowQueuesService} for table rows, {@link PeriodicWorkService} for scheduled work. */
@Global()
@Module({
  imports: [MetricsModule, ScheduleModule.forRoot()],
  providers: [RowQueuesService, PeriodicWorkService, QueueMetricsService],
  exports: [RowQueuesService, PeriodicWorkService, QueueMetricsService],
})
export class QueuesModule {}
