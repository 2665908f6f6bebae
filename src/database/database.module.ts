import { type DynamicModule, Global, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Config } from '../config/config.js';
import { MetricsModule } from '../common/metrics/metrics.module.js';
import { createDataSource } from './data-source.js';
import { DatabaseService } from './database.service.js';
import { DatabaseMetricsService } from './database-metrics.service.js';
import { DatabaseProbeService } from './database-probe.service.js';
import { DatabaseUrl } from './database-url.js';
import { DatabaseWatchService } from './database-watch.service.js';
import { NotificationsService } from './notifications.service.js';

/** Connects to a migrated database and provides {@link DatabaseService} and {@link NotificationsService} globally. */
@Global()
@Module({})
export class DatabaseModule {
  static forRoot(url: string): DynamicModule {
    return {
      module: DatabaseModule,
      imports: [MetricsModule],
      providers: [
        { provide: DatabaseUrl, useValue: new DatabaseUrl(url) },
        {
          provide: DataSource,
          inject: [Config, DatabaseUrl],
          useFactory: (config: Config, { value }: DatabaseUrl) =>
            createDataSource(value, config.DATABASE_POOL_SIZE).initialize(),
        },
        DatabaseService,
        DatabaseMetricsService,
        DatabaseProbeService,
        DatabaseWatchService,
        NotificationsService,
      ],
      exports: [
        DataSource,
        DatabaseService,
        DatabaseUrl,
        DatabaseProbeService,
        DatabaseWatchService,
        NotificationsService,
      ],
    };
  }
}
