import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { MetricsModule } from '../common/metrics/metrics.module.js';
import { ObjectStoreModule } from '../storage/object-store.module.js';
import { ThrottlingModule } from '../common/throttling/throttling.module.js';
import { HealthController } from './health.controller.js';
import { HealthService } from './health.service.js';
import { MetricsAccessService } from './metrics-access.service.js';
import { MetricsController } from './metrics.controller.js';

/** Operator endpoints in every process, regardless of its role. */
@Module({
  // Failures of each part are logged where they are detected.
  imports: [TerminusModule.forRoot({ logger: false }), MetricsModule, ObjectStoreModule, ThrottlingModule],
  controllers: [HealthController, MetricsController],
  providers: [HealthService, MetricsAccessService],
  exports: [HealthService],
})
export class HealthModule {}
