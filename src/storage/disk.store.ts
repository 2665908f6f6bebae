import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { Readable } from 'node:stream';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../config/config.js';
import { InsufficientStorage, TooLarge } from '../common/errors/errors.js';
import { hasRoom, roomReport } from './disk-reserve.js';
import { hasCode, undefinedIfMissing } from './file-errors.js';
import {
  assertKey,
  type ByteRange,
  type DownloadGrant,
  InvalidPart,
  isKey,
  ObjectMissing,
  ObjectStore,
  type PartGrant,
  type PartName,
  type StoredObject,
  type StoredPart,
  UploadMissing,
} from './object-store.js';
import {
  choose,
  dropReplaced,
  flushFolder,
  newest,
  partFileName,
  partsIn,
  PartTooLarge,
  readParts,
  writePart,
} from './part-files.js';
import { makePrivateFolder } from './private-folder.js';
import { SignedUrlsService } from './signed-urls.service.js';

/**
 * Number of bytes between a writer's checks of the free space. It is small enough that a thousand writers cannot fill the disk
 * between two checks.
 */
const CHECK_INTERVAL_BYTES = 1024 ** 2;
const STALE_DRAFT_MS = 24 * 60 * 60 * 1000;

/**
 * Stores objects in folders of `DATA_DIR/objects`.
 *
 * An object is the folder of its parts, which are files named `<part number>.<moment>.<etag>`. Finishing an upload renames its
 * folder without copying. Everything is written under `drafts`, flushed, and renamed to its final location. Then the folder
 * that contains it is flushed.
 */
@Injectable()
export class DiskStore extends ObjectStore implements OnModuleInit {
  private readonly root: string;

  constructor(
    private readonly config: Config,
    private readonly urls: SignedUrlsService,
  ) {
    super();
    this.root = join(config.DATA_DIR, 'objects');
  }

  async onModuleInit(): Promise<void> {
    await makePrivateFolder(this.root);
    for (const folder of ['drafts', 'uploads', 'completing']) await mkdir(join(this.root, folder), { recursive: true });
    await this.dropStaleDrafts();
  }

  async check(): Promise<void> {
    await this.assertRoom();
  }

  async put(key: string, body: Buffer | Readable): Promise<number> {
    const draft = this.draft();
    await mkdir(draft);
    try {
      await this.assertRoom(Buffer.isBuffer(body) ? body.length : 0);
      const { size, etag } = await writePart(join(draft, 'part'), body, Infinity, this.freeSpaceChecker());
      await rename(join(draft, 'part'), join(draft, partFileName(1, etag)));
      await flushFolder(draft);
      await this.publish(draft, key);
      return size;
    } catch (error) {
      throw hasCode(error, 'ENOSPC') ? full() : error;
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }

  async get(key: string, range: ByteRange = { start: 0, end: Infinity }): Promise<Readable> {
    const parts = await partsIn(this.objectFolder(key));
    if (parts === undefined) throw new ObjectMissing(key);
    return Readable.from(readParts(parts, range), { objectMode: false });
  }

  async size(key: string): Promise<number | undefined> {
    const parts = await partsIn(this.objectFolder(key));
    return parts?.reduce((sum, { size }) => sum + size, 0);
  }

  async delete(keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.drop(this.objectFolder(key));
  }

  async *list(kind: string): AsyncGenerator<StoredObject> {
    assertKey(`${kind}/any`);
    for (const shard of (await readdir(join(this.root, kind)).catch(undefinedIfMissing)) ?? []) {
      const names = (await readdir(join(this.root, kind, shard)).catch(undefinedIfMissing)) ?? [];
      for (const key of names.map((name) => `${kind}/${name}`).filter(isKey)) {
        const size = await this.size(key);
        if (size !== undefined) yield { key, size };
      }
    }
  }

  async startUpload(key: string): Promise<string> {
    await this.assertRoom();
    const uploadId = randomUUID();
    const folder = this.uploadFolder('uploads', key, uploadId);
    await mkdir(folder);
    await flushFolder(dirname(folder));
    return uploadId;
  }

  async signPart(grant: PartGrant): Promise<string> {
    return await this.urls.signPart(grant);
  }

  async signDownload(grant: DownloadGrant): Promise<string> {
    return await this.urls.signDownload(grant);
  }

  /**
   * Receives a part and replaces an existing part with the same number.
   *
   * @param announcedBytes declared number of bytes, or 0 if unknown
   * @param keep is called with the number of received bytes before they become the part, and can throw to reject them
   * @returns the part's etag
   * @throws TooLarge over `maxBytes`
   * @throws UploadMissing
   */
  async putPart(
    grant: Omit<PartGrant, 'expiresAt' | 'baseUrl'>,
    body: AsyncIterable<Buffer>,
    announcedBytes: number,
    keep?: (size: number) => Promise<void>,
  ): Promise<string> {
    const { key, uploadId, partNumber, maxBytes } = grant;
    const folder = this.uploadFolder('uploads', key, uploadId);
    if ((await stat(folder).catch(undefinedIfMissing)) === undefined) throw new UploadMissing(uploadId);
    if (announcedBytes > maxBytes) throw tooLarge(maxBytes);
    const draft = this.draft();
    try {
      await this.assertRoom(announcedBytes);
      const { size, etag } = await writePart(draft, body, maxBytes, this.freeSpaceChecker());
      // The name is chosen first, so that every part stored afterwards is newer.
      const file = join(folder, partFileName(partNumber, etag));
      await keep?.(size);
      await rename(draft, file);
      await flushFolder(folder);
      await dropReplaced(folder, partNumber);
      return etag;
    } catch (error) {
      if (error instanceof PartTooLarge) throw tooLarge(maxBytes);
      if (hasCode(error, 'ENOENT')) throw new UploadMissing(uploadId);
      throw hasCode(error, 'ENOSPC') ? full() : error;
    } finally {
      await rm(draft, { force: true });
    }
  }

  async listParts(key: string, uploadId: string): Promise<StoredPart[]> {
    const parts =
      (await partsIn(this.uploadFolder('uploads', key, uploadId))) ??
      (await partsIn(this.uploadFolder('completing', key, uploadId)));
    if (parts === undefined) throw new UploadMissing(uploadId);
    return newest(parts).map(({ part_number, etag, size }) => ({ part_number, etag, size }));
  }

  async completeUpload(key: string, uploadId: string, requested: readonly PartName[]): Promise<void> {
    const open = this.uploadFolder('uploads', key, uploadId);
    // After the folder is renamed, no more parts can be added. It already has the new name if an earlier completion was
    // interrupted.
    const claimed = this.uploadFolder('completing', key, uploadId);
    await renameIfThere(open, claimed);
    const parts = await partsIn(claimed);
    if (parts === undefined) throw new UploadMissing(uploadId);
    const chosen = choose(newest(parts), requested);
    if (chosen === undefined) {
      await renameIfThere(claimed, open);
      throw new InvalidPart(uploadId);
    }
    for (const { file } of parts) if (!chosen.has(file)) await rm(file, { force: true });
    try {
      await flushFolder(claimed);
      await this.publish(claimed, key);
    } catch (error) {
      throw hasCode(error, 'ENOENT') ? new UploadMissing(uploadId) : error;
    }
    await flushFolder(dirname(claimed));
  }

  async abortUpload(key: string, uploadId?: string): Promise<void> {
    for (const id of uploadId === undefined ? await this.uploadsOf(key) : [uploadId]) {
      await this.drop(this.uploadFolder('uploads', key, id));
      await this.drop(this.uploadFolder('completing', key, id));
    }
  }

  /** Publishes a complete, flushed folder as the object under `key`. */
  private async publish(folder: string, key: string): Promise<void> {
    const target = this.objectFolder(key);
    const createdFolder = await mkdir(dirname(target), { recursive: true });
    if (createdFolder !== undefined) {
      await flushFolder(dirname(dirname(target)));
      await flushFolder(this.root);
    }
    await rename(folder, target);
    await flushFolder(dirname(target));
  }

  /** Deletes a folder. It is renamed first, so that it disappears in a single step. */
  private async drop(folder: string): Promise<void> {
    const doomed = this.draft();
    await renameIfThere(folder, doomed);
    await rm(doomed, { recursive: true, force: true });
  }

  /**
   * Returns a function that checks the free space repeatedly while writing, because other processes also fill the disk. Space is
   * not reserved for bytes that may never arrive.
   */
  private freeSpaceChecker(): (written: number) => Promise<void> {
    let unseen = 0;
    return async (written) => {
      unseen += written;
      if (unseen < CHECK_INTERVAL_BYTES) return;
      unseen = 0;
      await this.assertRoom();
    };
  }

  /** @param bytes number of bytes to write */
  private async assertRoom(bytes = 0): Promise<void> {
    const { FILES_RESERVE_BYTES: reserved } = this.config;
    if (!(await hasRoom(this.root, reserved, bytes))) throw full(await roomReport(this.root, reserved));
  }

  /** Removes drafts left by crashed processes. Running processes finish or drop their drafts far sooner. */
  private async dropStaleDrafts(): Promise<void> {
    for (const name of await readdir(join(this.root, 'drafts'))) {
      const draft = join(this.root, 'drafts', name);
      const stats = await stat(draft).catch(undefinedIfMissing);
      if (stats !== undefined && stats.mtimeMs < Date.now() - STALE_DRAFT_MS)
        await rm(draft, { recursive: true, force: true });
    }
  }

  private async uploadsOf(key: string): Promise<string[]> {
    assertKey(key);
    const prefix = `${posix.basename(key)}.`;
    const names = [...(await readdir(join(this.root, 'uploads'))), ...(await readdir(join(this.root, 'completing')))];
    return names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  }

  private draft(): string {
    return join(this.root, 'drafts', randomUUID());
  }

  /**
   * Returns the folder of an object. Objects are spread over 256 folders by the end of the key, which is the random part of a
   * UUID.
   */
  private objectFolder(key: string): string {
    assertKey(key);
    return join(this.root, dirname(key), key.slice(-2), posix.basename(key));
  }

  private uploadFolder(state: 'uploads' | 'completing', key: string, uploadId: string): string {
    assertKey(key);
    assertKey(`upload/${uploadId}`);
    return join(this.root, state, `${posix.basename(key)}.${uploadId}`);
  }
}

/** @param report free and reserved space, for operators only */
const full = (report?: string): InsufficientStorage =>
  Object.assign(new InsufficientStorage('store_full', 'The file store is full'), {
    cause: report === undefined ? undefined : new Error(report),
  });
const tooLarge = (maxBytes: number): TooLarge =>
  new TooLarge('part_too_large', `This part must not exceed ${maxBytes} bytes`);

async function renameIfThere(from: string, to: string): Promise<void> {
  await rename(from, to).catch(undefinedIfMissing);
}
