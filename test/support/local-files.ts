import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { Config } from '../../src/config/config.js';
import { BlobsService, keyOf } from '../../src/files/blobs/blobs.service.js';
import { type CompanyBlob, LocalCopiesService } from '../../src/files/blobs/local-copies.service.js';
import { undefinedIfMissing } from '../../src/storage/file-errors.js';
import { DiskStore } from '../../src/storage/disk.store.js';
import type { SignedUrlsService } from '../../src/storage/signed-urls.service.js';

/** Object store on the disk and local copies of its blobs, without a database. */
export class LocalFiles {
  private constructor(
    readonly config: Config,
    private readonly store: DiskStore,
    readonly copies: LocalCopiesService,
  ) {}

  static async open(settings: Partial<Config> = {}): Promise<LocalFiles> {
    const DATA_DIR = await mkdtemp(join(tmpdir(), 'local-files-'));
    const config = Object.assign(new Config(), { DATA_DIR }, settings);
    const store = new DiskStore(config, undefined as unknown as SignedUrlsService);
    await store.onModuleInit();
    const blobs = new BlobsService(undefined as never, undefined as never, store, config);
    return new LocalFiles(config, store, new LocalCopiesService(blobs, config, pino({ level: 'silent' })));
  }

  /** Stores a blob for company `a`. */
  async put(content: string | Uint8Array): Promise<CompanyBlob> {
    const bytes = Buffer.from(content);
    const blob_id = randomUUID();
    await this.store.put(keyOf(blob_id), bytes);
    return { company_id: 'a', blob_id, size: bytes.length };
  }

  /** Lists the names in a folder of DATA_DIR, sorted. */
  async list(folder: string): Promise<string[]> {
    return ((await readdir(join(this.config.DATA_DIR, folder)).catch(undefinedIfMissing)) ?? []).sort();
  }

  async close(): Promise<void> {
    await rm(this.config.DATA_DIR, { recursive: true, force: true });
  }
}
