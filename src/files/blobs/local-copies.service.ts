import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import { Config } from '../../config/config.js';
import { InsufficientStorage, TooLarge } from '../../common/errors/errors.js';
import { IntervalRunner } from '../../common/leases/interval-runner.js';
import { unlessAborted } from '../../common/leases/unless-aborted.js';
import { LOGGER } from '../../common/logging/logging.module.js';
import { hasRoom } from '../../storage/disk-reserve.js';
import { hasCode } from '../../storage/file-errors.js';
import { makePrivateFolder } from '../../storage/private-folder.js';
import { FairShares } from '../../common/throttling/fair-shares.js';
import { BlobsService, type StoredBlob } from './blobs.service.js';
import { ScratchFolder } from './scratch-folder.js';

const SWEEP_MS = 60 * 60_000;
/** Number of maximum-size files that fit on the disk at the same time. A company may use half of the space. */
const LARGE_FILES_AT_ONCE = 4;

/** Blob with the company that owns it. */
export interface CompanyBlob extends StoredBlob {
  company_id: string;
}

/** Makes local copies of file contents in `DATA_DIR/copies`, for code that reads from a path. Works with every object store. */
@Injectable()
export class LocalCopiesService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly folder: string;
  private readonly scratch: ScratchFolder;
  private readonly room: FairShares;
  private sweep: IntervalRunner | undefined;

  constructor(
    private readonly blobs: BlobsService,
    private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.folder = resolve(config.DATA_DIR, 'copies');
    this.scratch = new ScratchFolder(this.folder);
    this.room = new FairShares(LARGE_FILES_AT_ONCE * config.TABLES_FILE_MAX_BYTES);
  }

  async onApplicationBootstrap(): Promise<void> {
    await makePrivateFolder(this.folder);
    const sweep = (): Promise<void> => this.scratch.dropStale();
    this.sweep = new IntervalRunner(sweep, 'leftover local copies could not be removed', this.logger, SWEEP_MS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.sweep?.stop();
  }

  /**
   * Runs `work` on a copy of the content. The copy exists at `path` (absolute) until `work` has settled. A copy waits until the
   * process's other copies leave enough disk space.
   *
   * @throws TooLarge over TABLES_FILE_MAX_BYTES, before anything is copied
   * @throws TooManyRequests if no space was available for 10 seconds
   * @throws InsufficientStorage if the disk is full except for its reserve
   * @throws Unavailable if the object store is unavailable
   * @throws the signal's reason if it aborts before the copy is complete
   */
  async withCopy<Result>(
    { company_id, blob_id, size }: CompanyBlob,
    work: (path: string) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    const limit = this.config.TABLES_FILE_MAX_BYTES;
    if (size > limit)
      throw new TooLarge(
        'content_too_large',
        `The file has ${size} bytes, but a table or document can have at most ${limit}`,
      );
    const ticket = this.room.take(size, [{ key: company_id, limit: (LARGE_FILES_AT_ONCE / 2) * limit }]);
    const path = await this.scratch.newPath();
    try {
      if (ticket.granted !== undefined)
        await (signal === undefined ? ticket.granted : unlessAborted(ticket.granted, signal));
      if (!(await hasRoom(dirname(path), this.config.FILES_RESERVE_BYTES, size))) throw full();
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
      throw hasCode(error, 'ENOSPC') ? full() : error;
    }
  }
}

const full = (): InsufficientStorage => new InsufficientStorage('disk_full', 'The disk of the service is full');
