import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../../database/database.service.js';
import { ObjectStore, type StoredObject } from '../../storage/object-store.js';
import { BlobsRepository } from '../blobs/blobs.repository.js';
import { BLOBS, keyOf } from '../blobs/blobs.service.js';
import { FileTreeRepository, type LocatedFile } from '../tree/file-tree.repository.js';
import { ListedObjectsRepository } from './listed-objects.repository.js';

const BATCH = 1000;

/** Differences between rows and objects. */
export interface Discrepancies {
  /** Keys of objects without a row. */
  orphans: string[];
  /** Unreferenced blobs without an object of the same size. */
  hollow: string[];
  /** Files whose object is missing or does not have the size in the row. */
  damaged: DamagedFile[];
}

/**
 * File whose content is missing or damaged. `size` is in bytes. `storedSize` is the size of the stored object in bytes, or null
 * if the object is missing.
 */
export interface DamagedFile extends LocatedFile {
  size: number;
  storedSize: number | null;
}

/** Compares blob rows with the objects in the store, for operators who suspect that either was modified externally. */
@Injectable()
export class ReconcilerService {
  constructor(
    private readonly database: DatabaseService,
    private readonly blobs: BlobsRepository,
    private readonly tree: FileTreeRepository,
    private readonly store: ObjectStore,
  ) {}

  /** Checks every object and row. Objects that are added or removed during the check are not reported. */
  async compare(): Promise<Discrepancies> {
    return await this.database.transaction(async (tx) => {
      const listed = new ListedObjectsRepository(tx);
      // Listing a large store takes longer than a request is allowed to take. No lock is held during this time.
      await listed.begin();
      await this.list(listed);
      const orphans = await listed.orphans();
      const damaged = new Map<string, Pick<DamagedFile, 'size' | 'storedSize'>>();
      for (const { id, size } of await listed.unequal()) {
        const storedSize = (await this.store.size(keyOf(id))) ?? null;
        if (storedSize !== size) damaged.set(id, { size, storedSize });
      }
      const files = await tx.withRepository(this.tree).filesOfBlobs([...damaged.keys()]);
      const referred = new Set(files.map(({ blob_id }) => blob_id));
      return {
        orphans: await this.filter(orphans, async (key) => (await this.store.size(key)) !== undefined),
        hollow: [...damaged.keys()].filter((id) => !referred.has(id)),
        damaged: files.map((file) => ({
          ...file,
          ...(damaged.get(file.blob_id) as Pick<DamagedFile, 'size' | 'storedSize'>),
        })),
      };
    });
  }

  /**
   * Deletes orphans and hollow rows. Damaged files are kept, because only a backup can restore their content, and a wrongly
   * configured store must not empty every tree.
   */
  async mend({ orphans, hollow }: Discrepancies): Promise<void> {
    await this.store.delete(orphans);
    await this.blobs.deleteUnreferenced(hollow);
  }

  private async list(listed: ListedObjectsRepository): Promise<void> {
    let batch: StoredObject[] = [];
    const flush = async (): Promise<void> => {
      await listed.add(batch);
      batch = [];
    };
    for await (const object of this.store.list(BLOBS)) {
      batch.push(object);
      if (batch.length === BATCH) await flush();
    }
    await flush();
    await listed.complete();
  }

  private async filter(items: string[], keep: (item: string) => Promise<boolean>): Promise<string[]> {
    const matching: string[] = [];
    for (const item of items) if (await keep(item)) matching.push(item);
    return matching;
  }
}
