import { type DynamicModule, Global, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Config } from '../config/config.js';
import { MetricsModule } from '../common/metrics/metrics.module.js';
import { createDataSource } from './data-source.js';
import { Database } from './database.service.js';
import { DatabaseMetrics } from './database-metrics.service.js';
import { DatabaseProbe } from './database-probe.service.js';
import { DatabaseUrl } from './database-url.js';
import { DatabaseWatch } from './database-watch.service.js';
import { Notifications } from './notifications.service.js';

/** Connects to an already migrated database and offers {@link Database} and {@link Notifications} everywhere. */
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
        Database,
        DatabaseMetrics,
        DatabaseProbe,
        DatabaseWatch,
        Notifications,
      ],
      exports: [DataSource, Database, DatabaseUrl, DatabaseProbe, DatabaseWatch, Notifications],
    };
  }
}
