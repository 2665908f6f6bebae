import { Module } from '@nestjs/common';
import { DiskStore } from './disk-store.js';
import { DiskStoreController } from './disk-store.controller.js';
import { DiskTransfers } from './disk-transfers.service.js';
import { ObjectStore } from './object-store.js';
import { SecretsService } from './secrets.service.js';
import { SignedUrls } from './signed-urls.js';

/** The object store of this process, under the token {@link ObjectStore}. */
@Module({
  controllers: [DiskStoreController],
  providers: [SecretsService, SignedUrls, DiskStore, DiskTransfers, { provide: ObjectStore, useExisting: DiskStore }],
  exports: [ObjectStore],
})
export class ObjectStoreModule {}
