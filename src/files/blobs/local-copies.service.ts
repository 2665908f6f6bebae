import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { InsufficientStorage, TooLarge } from '../../platform/errors/errors.js';
import { FairShares } from '../../platform/throttling/fair-shares.js';
import { BlobsService, type StoredBlob } from './blobs.service.js';

/** Copies that are older were left behind by a process that has died; work on one is over far sooner. */
const STALE_MS = 60 * 60 * 1000;
/** How many of the largest files there is room for at once, half of it for one company. */
const LARGEST_AT_ONCE = 4;

/** A content of a company. */
export interface CompanyBlob extends StoredBlob {
  company_id: string;
}

/** Contents of files as local files in `DATA_DIR/copies`, for what reads from a path; the same for every object store. */
@Injectable()
export class LocalCopies implements OnModuleInit, OnApplicationShutdown {
  private readonly folder: string;
  private readonly room: FairShares;
  private sweep: NodeJS.Timeout | undefined;

  constructor(
    private readonly blobs: BlobsService,
    private readonly config: Config,
  ) {
    // Processes that read a copy may have another working directory.
    this.folder = resolve(config.DATA_DIR, 'copies');
    this.room = new FairShares(LARGEST_AT_ONCE * config.TABLES_FILE_MAX_BYTES);
  }

  async onModuleInit(): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    await this.dropStale();
    // What cannot be removed now is looked at again.
    this.sweep = setInterval(() => void this.dropStale().catch(() => undefined), STALE_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.sweep);
  }

  /**
   * Works on a copy of a content, which is there under `path` (absolute) until `work` has settled. Copies of one process wait
   * for room on the disk.
   *
   * @throws TooLarge over TABLES_FILE_MAX_BYTES, before anything is copied
   * @throws TooManyRequests when there was no room for 10 seconds
   * @throws InsufficientStorage when the disk is full
   * @throws Unavailable when the object store is
   * @throws the signal's reason when it aborts the copying
   */
  async withCopy<Result>(
    { company_id, blob_id, size }: CompanyBlob,
    work: (path: string) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    const limit = this.config.TABLES_FILE_MAX_BYTES;
    if (size > limit)
      throw new TooLarge(`The file has ${size} bytes and at most ${limit} can be read as a table or document`);
    const ticket = this.room.take(size, [{ key: company_id, limit: (LARGEST_AT_ONCE / 2) * limit }]);
    const path = join(this.folder, randomUUID());
    try {
      await ticket.granted;
      signal?.throwIfAborted();
      await this.copy(blob_id, path, signal);
      return await work(path);
    } finally {
      try {
        await rm(path, { force: true });
      } finally {
        ticket.leave();
      }
    }
  }

  private async copy(blob_id: string, path: string, signal?: AbortSignal): Promise<void> {
    try {
      const content = await this.blobs.stream(blob_id);
      const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
      await (signal === undefined ? pipeline(content, file) : pipeline(content, file, { signal }));
    } catch (error) {
      signal?.throwIfAborted();
      throw isDiskFull(error) ? new InsufficientStorage('The disk of the service is full') : error;
    }
  }

  private async dropStale(): Promise<void> {
    for (const name of await readdir(this.folder)) {
      const copy = join(this.folder, name);
      const found = await stat(copy).catch(() => undefined);
      if (found !== undefined && found.mtimeMs < Date.now() - STALE_MS) await rm(copy, { force: true });
    }
  }
}

const isDiskFull = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOSPC';
