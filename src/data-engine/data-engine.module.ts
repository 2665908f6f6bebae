import { Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { Config } from '../config/config.js';
import { LOGGER } from '../common/logging/logging.module.js';
import { MetricsModule } from '../common/metrics/metrics.module.js';
import { DataEngine } from './data-engine.service.js';
import { EngineMetricsService } from './engine-metrics.service.js';
import { ProcessPool } from '../../packages/data-engine/index.js';

/** Reads tables and documents in separate processes. */
@Module({
  imports: [MetricsModule],
  providers: [
    EngineMetricsService,
    {
      provide: DataEngine,
      inject: [Config, EngineMetricsService, LOGGER],
      useFactory: (config: Config, metrics: EngineMetricsService, logger: Logger) => {
        const { TABLES_PROCESSES: size, FILES_RESERVE_BYTES: reservedBytes } = config;
        return new DataEngine(new ProcessPool({ size, reservedBytes }), metrics, logger);
      },
    },
  ],
  exports: [DataEngine],
})
export class DataEngineModule {}
