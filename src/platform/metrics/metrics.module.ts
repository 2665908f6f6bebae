import { Module } from '@nestjs/common';
import { Metrics } from './metrics.service.js';

/** For modules that measure something. Where the metrics are read is the health module's. */
@Module({ providers: [Metrics], exports: [Metrics] })
export class MetricsModule {}
