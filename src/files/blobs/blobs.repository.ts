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

/** A blob whose object is whole; `size` in bytes. */
interface WrittenBlob {
  blob_id: string;
  size: number;
  sha256: Buffer;
}

/**
 * Rows of blobs. Who refers to a blob holds a lock on its row until the reference can be seen; who deletes blobs locks their
 * rows first.
 */
export class BlobsRepository extends EntityRepository(Blob) {
  /** Announces blobs whose objects are about to be written; resolves with their ids. */
  async begin(company_id: string, count: number): Promise<string[]> {
    const rows: { id: string }[] = await this.query(
      'INSERT INTO blobs (company_id) SELECT $1 FROM generate_series(1, $2::int) RETURNING id',
      [company_id, count],
    );
    return rows.map(({ id }) => id);
  }

  /** Says that the objects of blobs are whole. */
  async setStored(blobs: readonly WrittenBlob[]): Promise<void> {
    await this.query(SET_STORED, [
      blobs.map(({ blob_id }) => blob_id),
      blobs.map(({ size }) => size),
      blobs.map(({ sha256 }) => sha256),
    ]);
  }

  /** Transactions that call this for the same company run one after the other. */
  async lockAllowance(company_id: string): Promise<void> {
    await this.query(`SELECT pg_advisory_xact_lock(hashtextextended('bytes:' || $1, 0))`, [company_id]);
  }

  /** Bytes that a company keeps or is about to; the upload of the blob `except` is not counted. */
  async keptBytes(company_id: string, except: string | null): Promise<number> {
    const [row]: { kept: number }[] = await this.query(KEPT_BYTES, [company_id, except]);
    return Number(row?.kept ?? 0);
  }

  /** The last of the first `limit` blobs after one; undefined when there are none. */
  async endOfPage(after: string, limit: number): Promise<string | undefined> {
    const [last]: { id: string }[] = await this.query(PAGE_OF_BLOBS, [after, limit]);
    return last?.id;
  }

  /** Marks blobs after `after` up to `last` that nothing refers to, and takes the mark off those that are referred to again. */
  async mark(after: string, last: string): Promise<void> {
    await this.query(CLEAR_MARKS, [after, last]);
    await this.query(MARK_BLOBS, [after, last]);
  }

  /** Blobs after `after` that have been marked for so many seconds. */
  async marked(seconds: number, after: string, limit: number): Promise<string[]> {
    const marked: { id: string }[] = await this.query(MARKED_BLOBS, [seconds, after, limit]);
    return marked.map(({ id }) => id);
  }

  /** Deletes those of the blobs that nothing refers to, and notes their objects; takes a transaction. */
  async doom(ids: readonly string[]): Promise<void> {
    const locked: { id: string }[] = await this.query(LOCK_BLOBS, [ids]);
    // A statement of its own sees what was committed before the lock was there.
    await this.query(DOOM_BLOBS, [locked.map(({ id }) => id)]);
  }

  /** Deletes those of the blobs that nothing refers to; for blobs that have no object. */
  async deleteUnreferenced(ids: readonly string[]): Promise<void> {
    await this.query(DELETE_UNREFERENCED, [ids]);
  }
}
