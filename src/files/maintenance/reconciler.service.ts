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
  /** Keys of objects that no row knows. */
  orphans: string[];
  /** Blobs that no file refers to, without an object of their size. */
  hollow: string[];
  /** Files whose object is missing or has another size than the row. */
  lost: LostFile[];
}

/** A file without its content: `size` in bytes, and the bytes that the store has, null without an object. */
export interface LostFile extends LocatedFile {
  size: number;
  found: number | null;
}

/** Compares the rows of blobs with the objects of the store, for operators who suspect that one of them was touched. */
@Injectable()
export class ReconcilerService {
  constructor(
    private readonly database: DatabaseService,
    private readonly blobs: BlobsRepository,
    private readonly tree: FileTreeRepository,
    private readonly store: ObjectStore,
  ) {}

  /** Checks every object and row; objects added or removed in the meantime are no difference. */
  async compare(): Promise<Discrepancies> {
    return await this.database.transaction(async (tx) => {
      const listed = new ListedObjectsRepository(tx);
      // A large store takes longer than a request may; no lock is held meanwhile.
      await listed.begin();
      await this.list(listed);
      const orphans = await listed.orphans();
      const damaged = new Map<string, Pick<LostFile, 'size' | 'found'>>();
      for (const { id, size } of await listed.unequal()) {
        const found = (await this.store.size(keyOf(id))) ?? null;
        if (found !== size) damaged.set(id, { size, found });
      }
      const files = await tx.withRepository(this.tree).filesOfBlobs([...damaged.keys()]);
      const referred = new Set(files.map(({ blob_id }) => blob_id));
      return {
        orphans: await this.filter(orphans, async (key) => (await this.store.size(key)) !== undefined),
        hollow: [...damaged.keys()].filter((id) => !referred.has(id)),
        lost: files.map((file) => ({ ...file, ...(damaged.get(file.blob_id) as Pick<LostFile, 'size' | 'found'>) })),
      };
    });
  }

  /**
   * Deletes orphans and hollow rows. Lost files stay: only a backup brings their content back, and a store that is
   * merely the wrong one must not empty every tree.
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
    const kept: string[] = [];
    for (const item of items) if (await keep(item)) kept.push(item);
    return kept;
  }
}
