import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { BEFORE_ALL_IDS } from '../../database/checked-id.js';
import { DatabaseService } from '../../database/database.service.js';
import { PeriodicWorkService } from '../../database/queues/periodic-work.service.js';
import { ObjectStore } from '../../storage/object-store.js';
import { BlobsRepository } from '../blobs/blobs.repository.js';
import { keyOf } from '../blobs/blobs.service.js';
import { DoomedObjectsRepository } from '../blobs/doomed-objects.repository.js';
import { ContainerEmptierService } from './container-emptier.service.js';
import { unlessInUse } from './in-use.js';

/** Number of objects per deletion and of rows per statement, which bounds their duration. */
const BATCH = 500;
const PAGE = 10_000;

/**
 * Deletes contents that have not been needed for FILES_GRACE_SECONDS: first the contents of deleted containers, then
 * unreferenced blobs. Several processes may run it at the same time. Interrupted steps are repeated.
 *
 * A blob is marked in a first pass and deleted in a later pass. A writer that refers to a blob locks its row until the
 * reference is committed. Therefore a blob that can be locked and is unreferenced stays unreferenced. The transaction that
 * deletes its row also records its object for deletion. The object is deleted after the commit.
 */
@Injectable()
export class CollectorService implements OnModuleInit {
  constructor(
    private readonly periodic: PeriodicWorkService,
    private readonly containerEmptier: ContainerEmptierService,
    private readonly database: DatabaseService,
    private readonly blobs: BlobsRepository,
    private readonly doomedObjects: DoomedObjectsRepository,
    private readonly store: ObjectStore,
    private readonly config: Config,
  ) {}

  onModuleInit(): void {
    this.periodic.every('17 * * * *', 'collect_files', async () => await this.collect());
  }

  /** Runs a complete pass. @throws Unavailable if objects must be deleted and the store is unavailable */
  async collect(): Promise<void> {
    await this.containerEmptier.emptyDeleted();
    await this.markBlobs();
    await this.deleteBlobs();
    await this.deleteObjects();
  }

  private async markBlobs(): Promise<void> {
    for (let after = BEFORE_ALL_IDS; ;) {
      const last = await this.blobs.endOfPage(after, PAGE);
      if (last === undefined) return;
      await this.blobs.mark(after, last);
      after = last;
    }
  }

  private async deleteBlobs(): Promise<void> {
    for (let last: string | undefined = BEFORE_ALL_IDS; last !== undefined;) {
      const marked: string[] = await this.blobs.marked(this.config.FILES_GRACE_SECONDS, last, BATCH);
      await this.deleteUnreferencedWithObjects(marked);
      last = marked.at(-1);
    }
  }

  /** Deletes blob rows. Skips a blob that another table references through a foreign key that this module does not know. */
  private async deleteUnreferencedWithObjects(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const isDeleted = await unlessInUse(() =>
      this.database.transaction((tx) => tx.withRepository(this.blobs).deleteUnreferencedWithObjects(ids)),
    );
    if (isDeleted || ids.length === 1) return;
    const half = Math.ceil(ids.length / 2);
    await this.deleteUnreferencedWithObjects(ids.slice(0, half));
    await this.deleteUnreferencedWithObjects(ids.slice(half));
  }

  private async deleteObjects(): Promise<void> {
    for (;;) {
      const blob_ids = await this.doomedObjects.firstIds(BATCH);
      if (blob_ids.length === 0) return;
      await this.store.delete(blob_ids.map(keyOf));
      await this.doomedObjects.forget(blob_ids);
    }
  }
}
