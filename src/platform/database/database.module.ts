import { type DynamicModule, Global, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Config } from '../../config/config.js';
import { createDataSource } from './data-source.js';
import { Database } from './database.js';

/** Where the database of this process is, known once the embedded server runs. */
export class DatabaseUrl {
  constructor(readonly value: string) {}
}

/** Connects to an already migrated database and offers {@link Database} everywhere. */
@Global()
@Module({})
export class DatabaseModule {
  static at(url: string): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [
        { provide: DatabaseUrl, useValue: new DatabaseUrl(url) },
        {
          provide: DataSource,
          inject: [Config, DatabaseUrl],
          useFactory: (config: Config, { value }: DatabaseUrl) =>
            createDataSource(value, config.DATABASE_POOL_SIZE).initialize(),
        },
        Database,
      ],
      exports: [Database, DatabaseUrl],
    };
  }
}
