import { Global, Module } from '@nestjs/common';
import { MetricsModule } from '../../common/metrics/metrics.module.js';
import { JobMetrics } from './job-metrics.service.js';
import { Jobs } from './jobs.service.js';

@Global()
@Module({ imports: [MetricsModule], providers: [Jobs, JobMetrics], exports: [Jobs, JobMetrics] })
export class JobsModule {}
