import { Module } from '@nestjs/common';
import { MetricsService } from './metrics.service.js';

/** For modules that measure something. The health module serves the metrics. */
@Module({ providers: [MetricsService], exports: [MetricsService] })
export class MetricsModule {}
