import { Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { Config, type S3Settings } from '../config/config.js';
import { LOGGER } from '../common/logging/logging.module.js';
import { MetricsModule } from '../common/metrics/metrics.module.js';
import { MetricsService } from '../common/metrics/metrics.service.js';
import { SecretsModule } from '../common/secrets/secrets.module.js';
import { DiskStore } from './disk.store.js';
import { DiskStoreController } from './disk-store.controller.js';
import { DiskTransfersService } from './disk-transfers.service.js';
import { measured } from './measured.store.js';
import { ObjectStore } from './object-store.js';
import { SignedUrlsService } from './signed-urls.service.js';

/** Object store for this process under the token {@link ObjectStore}: MinIO if it is configured, otherwise the disk. */
@Module({
  imports: [MetricsModule, SecretsModule],
  controllers: [DiskStoreController],
  providers: [
    SignedUrlsService,
    DiskStore,
    DiskTransfersService,
    {
      provide: ObjectStore,
      inject: [Config, DiskStore, LOGGER, MetricsService],
      useFactory: async (
        { s3 }: Config,
        disk: DiskStore,
        logger: Logger,
        metrics: MetricsService,
      ): Promise<ObjectStore> => measured(s3 === undefined ? disk : await minioStore(s3, logger), metrics),
    },
  ],
  exports: [ObjectStore, DiskTransfersService],
})
export class ObjectStoreModule {}

/** Loads the MinIO store only if it is configured, because its client adds a tenth to the start time. */
async function minioStore(s3: S3Settings, logger: Logger): Promise<ObjectStore> {
  const { MinioStore } = await import('./minio.store.js');
  return new MinioStore(s3, logger);
}
