import { Module } from '@nestjs/common';
import { Metrics } from './metrics.service.js';

/** For modules that measure something. The health module serves the metrics. */
@Module({ providers: [Metrics], exports: [Metrics] })
export class MetricsModule {}
