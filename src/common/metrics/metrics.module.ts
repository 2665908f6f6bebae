import { Module } from '@nestjs/common';
import { MetricsService } from './metrics.service.js';

/** Import it to record metrics. The health module serves them. */
@Module({ providers: [MetricsService], exports: [MetricsService] })
export class MetricsModule {}
