import { Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { Config } from '../../config/config.js';
import { LOGGER } from '../logging/logging.module.js';
import { DiskStore } from './disk-store.js';
import { DiskStoreController } from './disk-store.controller.js';
import { DiskTransfers } from './disk-transfers.service.js';
import { MinioStore } from './minio-store.js';
import { ObjectStore } from './object-store.js';
import { SecretsService } from './secrets.service.js';
import { SignedUrls } from './signed-urls.js';

/** The object store of this process, under the token {@link ObjectStore}: MinIO when it is configured, else the disk. */
@Module({
  controllers: [DiskStoreController],
  providers: [
    SecretsService,
    SignedUrls,
    DiskStore,
    DiskTransfers,
    {
      provide: ObjectStore,
      inject: [Config, DiskStore, LOGGER],
      useFactory: ({ s3 }: Config, disk: DiskStore, logger: Logger): ObjectStore =>
        s3 === undefined ? disk : new MinioStore(s3, logger),
    },
  ],
  exports: [ObjectStore],
})
export class ObjectStoreModule {}
