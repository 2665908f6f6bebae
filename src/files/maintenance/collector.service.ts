import { Injectable } from '@nestjs/common';
import { QueryFailedError } from 'typeorm';
import { Config } from '../../config/config.js';
import { Database } from '../../platform/database/database.js';
import { ObjectStore } from '../../platform/object-store/object-store.js';
import { keyOf } from '../blobs.service.js';
import {
  CLEAR_MARKS,
  DELETE_LEAVES,
  DELETED_CONTAINERS,
  DOOM_BLOBS,
  LOCK_BLOBS,
  MARK_BLOBS,
  MARKED_BLOBS,
  PAGE_OF_BLOBS,
} from './maintenance-sql.js';

/** Objects deleted at a time, and rows looked at by one statement, so that none takes long whatever there is. */
const BATCH = 500;
const PAGE = 10_000;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';
const FOREIGN_KEY_VIOLATION = '23503';

/**
 * Deletes what is no longer needed, FILES_GRACE_SECONDS after it was: what deleted containers held, then blobs that
 * nothing refers to. Any number of processes may do so at once, and each step that breaks off is done again.
 *
 * A blob is marked in one pass and deleted in a later one. Whoever refers to a blob holds a lock on its row until the
 * reference is there to be seen, so a blob that can be locked and is referred to by nothing stays so. Its row goes first,
 * together with a note of the object; the object goes when that is certain.
 */
@Injectable()
export class Collector {
  constructor(
    private readonly database: Database,
    private readonly store: ObjectStore,
    private readonly config: Config,
  ) {}

  /** One pass over everything. @throws Unavailable when objects are to be deleted and the store is out of reach */
  async collect(): Promise<void> {
    await this.emptyContainers();
    await this.markBlobs();
    await this.deleteBlobs();
    await this.deleteObjects();
  }

  private async emptyContainers(): Promise<void> {
    const containers: { id: string }[] = await this.database.manager.query(DELETED_CONTAINERS, [this.grace]);
    for (const { id } of containers) {
      const { manager } = this.database;
      await manager.query(`DELETE FROM uploads WHERE container_id = $1 AND state IN ('completed', 'aborted')`, [id]);
      for (let more = true; more;) {
        const [row]: { deleted: number }[] = await manager.query(DELETE_LEAVES, [id, PAGE]);
        more = (row?.deleted ?? 0) > 0;
      }
      // Where its owner's row stays, as a deployment's does for its handle, the empty container stays with it.
      await this.unlessInUse(() => this.database.manager.query('DELETE FROM containers WHERE id = $1', [id]));
    }
  }

  private async markBlobs(): Promise<void> {
    const { manager } = this.database;
    for (let after = BEFORE_ALL; ;) {
      const [last]: { id: string }[] = await manager.query(PAGE_OF_BLOBS, [after, PAGE]);
      if (last === undefined) return;
      await manager.query(CLEAR_MARKS, [after, last.id]);
      await manager.query(MARK_BLOBS, [after, last.id]);
      after = last.id;
    }
  }

  private async deleteBlobs(): Promise<void> {
    for (let last: string | undefined = BEFORE_ALL; last !== undefined;) {
      const marked: { id: string }[] = await this.database.manager.query(MARKED_BLOBS, [this.grace, last, BATCH]);
      await this.doom(marked.map(({ id }) => id));
      last = marked.at(-1)?.id;
    }
  }

  /** Deletes the rows of blobs; one that something else refers to, by a foreign key not known here, stays alone. */
  private async doom(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const done = await this.unlessInUse(() =>
      this.database.transaction(async (tx) => {
        const locked: { id: string }[] = await tx.query(LOCK_BLOBS, [ids]);
        // A statement of its own sees what was committed before the lock was there.
        await tx.query(DOOM_BLOBS, [locked.map(({ id }) => id)]);
      }),
    );
    if (done || ids.length === 1) return;
    const half = Math.ceil(ids.length / 2);
    await this.doom(ids.slice(0, half));
    await this.doom(ids.slice(half));
  }

  private async deleteObjects(): Promise<void> {
    for (;;) {
      const doomed: { blob_id: string }[] = await this.database.manager.query(
        'SELECT blob_id FROM doomed_objects ORDER BY blob_id LIMIT $1',
        [BATCH],
      );
      if (doomed.length === 0) return;
      await this.store.delete(doomed.map(({ blob_id }) => keyOf(blob_id)));
      await this.database.manager.query('DELETE FROM doomed_objects WHERE blob_id = ANY ($1::uuid[])', [
        doomed.map(({ blob_id }) => blob_id),
      ]);
    }
  }

  /** Resolves with false when a foreign key forbids the work. */
  private async unlessInUse(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      const { code } = (error instanceof QueryFailedError ? error.driverError : {}) as { code?: string };
      if (code === FOREIGN_KEY_VIOLATION) return false;
      throw error;
    }
  }

  private get grace(): number {
    return this.config.FILES_GRACE_SECONDS;
  }
}
