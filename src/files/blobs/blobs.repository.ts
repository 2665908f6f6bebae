import { EntityRepository } from '../../database/entity-repository.js';
import { Blob } from './blob.entity.js';
import {
  CLEAR_MARKS,
  DELETE_UNREFERENCED,
  DOOM_BLOBS,
  KEPT_BYTES,
  LOCK_BLOBS,
  MARK_BLOBS,
  MARKED_BLOBS,
  PAGE_OF_BLOBS,
  SET_STORED,
} from './blobs.sql.js';

/** Blob whose object is complete. `size` is in bytes. */
interface WrittenBlob {
  blob_id: string;
  size: number;
  sha256: Buffer;
}

/**
 * Stores blob rows. A writer that references a blob locks the blob's row until the reference is committed. A deletion locks the
 * rows too, before it removes them.
 */
export class BlobsRepository extends EntityRepository(Blob) {
  /** Inserts blobs whose objects are about to be written, and returns their ids. */
  async begin(company_id: string, count: number): Promise<string[]> {
    const rows: { id: string }[] = await this.query(
      'INSERT INTO blobs (company_id) SELECT $1 FROM generate_series(1, $2::int) RETURNING id',
      [company_id, count],
    );
    return rows.map(({ id }) => id);
  }

  /** Marks the blobs' objects as complete. */
  async setStored(blobs: readonly WrittenBlob[]): Promise<void> {
    await this.query(SET_STORED, [
      blobs.map(({ blob_id }) => blob_id),
      blobs.map(({ size }) => size),
      blobs.map(({ sha256 }) => sha256),
    ]);
  }

  /** Serializes transactions of the same company that call this. */
  async lockAllowance(company_id: string): Promise<void> {
    await this.query(`SELECT pg_advisory_xact_lock(hashtextextended('bytes:' || $1, 0))`, [company_id]);
  }

  /** Returns the number of bytes that a company stores or is about to store, excluding the upload of the blob `except`. */
  async storedBytes(company_id: string, except: string | null): Promise<number> {
    const [row]: { kept: number }[] = await this.query(KEPT_BYTES, [company_id, except]);
    return Number(row?.kept ?? 0);
  }

  /** Returns the last of the next `limit` blobs, or undefined if none remain. */
  async endOfPage(after: string, limit: number): Promise<string | undefined> {
    const [last]: { id: string }[] = await this.query(PAGE_OF_BLOBS, [after, limit]);
    return last?.id;
  }

  /** Marks unreferenced blobs after `after` up to `last`, and unmarks blobs that are referenced again. */
  async mark(after: string, last: string): Promise<void> {
    await this.query(CLEAR_MARKS, [after, last]);
    await this.query(MARK_BLOBS, [after, last]);
  }

  /** Returns blobs after `after` that were marked at least this many seconds ago. */
  async marked(seconds: number, after: string, limit: number): Promise<string[]> {
    const marked: { id: string }[] = await this.query(MARKED_BLOBS, [seconds, after, limit]);
    return marked.map(({ id }) => id);
  }

  /** Deletes the unreferenced blobs among the given blobs, and records their objects for deletion. Requires a transaction. */
  async deleteUnreferencedWithObjects(ids: readonly string[]): Promise<void> {
    const locked: { id: string }[] = await this.query(LOCK_BLOBS, [ids]);
    // A separate statement sees references that were committed before the lock was acquired.
    await this.query(DOOM_BLOBS, [locked.map(({ id }) => id)]);
  }

  /** Deletes the unreferenced blobs among the given blobs. Use it only for blobs without an object. */
  async deleteUnreferenced(ids: readonly string[]): Promise<void> {
    await this.query(DELETE_UNREFERENCED, [ids]);
  }
}
