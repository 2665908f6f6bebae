import { Module } from '@nestjs/common';
import { DataEngineModule } from '../data-engine/data-engine.module.js';
import { FilesModule } from '../files/files.module.js';
import { MetricsModule } from '../common/metrics/metrics.module.js';
import { TableCacheService } from './table-cache.service.js';
import { TableReaderService } from './table-reader.service.js';
import { TablesController } from './tables.controller.js';
import { TablesService } from './tables.service.js';

/** Tables in files: rows, groups and SQL. Other modules read tables through {@link TableReaderService}. */
@Module({
  imports: [DataEngineModule, FilesModule, MetricsModule],
  controllers: [TablesController],
  providers: [TableCacheService, TableReaderService, TablesService],
  exports: [TableReaderService],
})
export class TablesModule {}
