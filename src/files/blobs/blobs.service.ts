import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { DatabaseService, type Tx } from '../../database/database.service.js';
import { TooLarge } from '../../common/errors/errors.js';
import { type ByteRange, ObjectStore } from '../../storage/object-store.js';
import { BlobsRepository } from './blobs.repository.js';

/** Content that is complete in the store and can be added to a tree. `size` is in bytes. */
export interface StoredBlob {
  blob_id: string;
  size: number;
}

/** Maximum number of objects that a call reads or writes in parallel. */
const OBJECTS_AT_ONCE = 16;

/** Key prefix of file contents. */
export const BLOBS = 'blobs';

/** Returns the object key of a blob. */
export const keyOf = (blob_id: string): string => `${BLOBS}/${blob_id}`;

/** Returns the blob id of a key from {@link keyOf}. */
export const blobOf = (key: string): string => key.slice(BLOBS.length + 1);

/**
 * Stores immutable file contents. A blob's row is inserted first, then its object is written, then the row becomes `stored`.
 * Only then can a tree refer to it, so a crash leaves at most an unreferenced blob.
 */
@Injectable()
export class BlobsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly blobs: BlobsRepository,
    private readonly objects: ObjectStore,
    private readonly config: Config,
  ) {}

  /**
   * Writes content to the store. Call it before the transaction that adds the blob to a tree.
   *
   * @throws TooLarge if the company's storage limit is reached
   */
  async store(company_id: string, content: Buffer | string): Promise<StoredBlob> {
    const [blob] = await this.storeAll(company_id, [content]);
    if (blob === undefined) throw new Error('A stored content has no blob');
    return blob;
  }

  /** Stores several file contents like {@link store}. Returns the blobs in the same order. */
  async storeAll(company_id: string, values: readonly (Buffer | string)[]): Promise<StoredBlob[]> {
    const contents = values.map((content) => (typeof content === 'string' ? Buffer.from(content) : content));
    const bytes = contents.reduce((sum, { length }) => sum + length, 0);
    await this.assertAllowance(company_id, bytes);
    const ids = await this.blobs.begin(company_id, contents.length);
    const pending = contents.map((content, index) => ({ blob_id: ids[index] ?? '', content }));
    await severalAtOnce(pending, async ({ blob_id, content }) => await this.objects.put(keyOf(blob_id), content));
    await this.database.transaction(async (tx) => {
      await this.reserve(tx, company_id, bytes);
      await tx.withRepository(this.blobs).setStored(
        pending.map(({ blob_id, content }) => ({
          blob_id,
          size: content.length,
          sha256: createHash('sha256').update(content).digest(),
        })),
      );
    });
    return pending.map(({ blob_id, content }) => ({ blob_id, size: content.length }));
  }

  /** Stores the content of a local file of any size like {@link store}. */
  async storeFile(company_id: string, path: string): Promise<StoredBlob> {
    const { size } = await stat(path);
    await this.assertAllowance(company_id, size);
    const [blob_id = ''] = await this.blobs.begin(company_id, 1);
    const content = createReadStream(path);
    try {
      await this.objects.put(keyOf(blob_id), content);
    } finally {
      // If the store rejects the content, the file must still be closed.
      content.destroy();
    }
    await this.database.transaction((tx) => this.finish(tx, company_id, { blob_id, size }));
    return { blob_id, size };
  }

  /** Returns the whole content of each blob in order. Use it only for contents that fit into memory. */
  async readAll(blobs: readonly { blob_id: string }[]): Promise<Buffer[]> {
    return await severalAtOnce(blobs, async ({ blob_id }) => await buffer(await this.stream(blob_id)));
  }

  async stream(blob_id: string, range?: ByteRange): Promise<Readable> {
    return await this.objects.get(keyOf(blob_id), range);
  }

  /** Inserts a blob whose object is about to be written, and returns its id. */
  async begin(tx: Tx, company_id: string): Promise<string> {
    const [blob_id] = await tx.withRepository(this.blobs).begin(company_id, 1);
    if (blob_id === undefined) throw new Error('A new blob has no row');
    return blob_id;
  }

  /** Deletes a blob that will not be used. */
  async discard(tx: Tx, blob_id: string): Promise<void> {
    await tx.withRepository(this.blobs).delete(blob_id);
  }

  /** Marks a blob's object as complete, so that trees can refer to it. @throws TooLarge as {@link store} */
  async finish(tx: Tx, company_id: string, { blob_id, size }: StoredBlob): Promise<void> {
    await this.reserve(tx, company_id, size, blob_id);
    await tx.withRepository(this.blobs).update(blob_id, { state: 'stored', size });
  }

  /** Checks the limit before anything is written. @throws TooLarge if the company may not store this many more bytes */
  async assertAllowance(company_id: string, bytes: number): Promise<void> {
    if (bytes > (await this.compared(this.blobs, company_id))) throw this.tooMuch();
  }

  /**
   * Enforces the limit. A company's transactions wait for each other here, so that they cannot jointly exceed the limit.
   * `blob_id` is the blob of the upload that contains the bytes and is already counted.
   *
   * @throws TooLarge if the company may not store `bytes` more
   */
  async reserve(tx: Tx, company_id: string, bytes: number, blob_id: string | null = null): Promise<void> {
    if (bytes > (await this.remainingBytes(tx, company_id, blob_id))) throw this.tooMuch();
  }

  /**
   * Returns the number of bytes that the company may still store, which may be negative. Other transactions wait until this
   * transaction ends.
   */
  async remainingBytes(tx: Tx, company_id: string, blob_id: string | null = null): Promise<number> {
    if (this.config.FILES_COMPANY_MAX_BYTES === undefined) return Infinity;
    const blobs = tx.withRepository(this.blobs);
    await blobs.lockAllowance(company_id);
    return await this.compared(blobs, company_id, blob_id);
  }

  tooMuch(): TooLarge {
    return new TooLarge(
      'company_storage_full',
      `The company's files must not exceed ${this.config.FILES_COMPANY_MAX_BYTES} bytes in total`,
    );
  }

  private async compared(blobs: BlobsRepository, company_id: string, blob_id: string | null = null): Promise<number> {
    const limit = this.config.FILES_COMPANY_MAX_BYTES;
    if (limit === undefined) return Infinity;
    return limit - (await blobs.storedBytes(company_id, blob_id));
  }
}

/** Processes several items in parallel. Each failure ends a worker, so that an unresponsive store gets only a few requests. */
async function severalAtOnce<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of waiting) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(OBJECTS_AT_ONCE, items.length) }, worker));
  return results;
}
