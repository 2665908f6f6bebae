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

/** Objects deleted at a time, and rows read by one statement, so that none takes long. */
const BATCH = 500;
const PAGE = 10_000;

/**
 * Deletes what is no longer needed, FILES_GRACE_SECONDS after it was: what deleted containers held, then blobs that
 * nothing refers to. Any number of processes may do so at once, and each step that breaks off is done again.
 *
 * A blob is marked in one pass and deleted in a later one. Whoever refers to a blob holds a lock on its row until the
 * reference is there to be seen, so a blob that can be locked and is referred to by nothing stays so. Its row goes first,
 * together with a note of the object; the object goes when that is certain.
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

  /** One pass over everything. @throws Unavailable when objects are to be deleted and the store is out of reach */
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
      await this.doom(marked);
      last = marked.at(-1);
    }
  }

  /** Deletes the rows of blobs; one that something else refers to, by a foreign key not known here, stays alone. */
  private async doom(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const done = await unlessInUse(() => this.database.transaction((tx) => tx.withRepository(this.blobs).doom(ids)));
    if (done || ids.length === 1) return;
    const half = Math.ceil(ids.length / 2);
    await this.doom(ids.slice(0, half));
    await this.doom(ids.slice(half));
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
