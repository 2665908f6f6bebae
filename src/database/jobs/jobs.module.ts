import { Global, Module } from '@nestjs/common';
import { MetricsModule } from '../../common/metrics/metrics.module.js';
import { JobMetricsService } from './job-metrics.service.js';
import { JobsService } from './jobs.service.js';

@Global()
@Module({
  imports: [MetricsModule],
  providers: [JobsService, JobMetricsService],
  exports: [JobsService, JobMetricsService],
})
export class JobsModule {}
