import { Readable } from 'node:stream';
import type { OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import type { S3Settings } from '../config/config.js';
import { Unavailable } from '../common/errors/errors.js';
import { inChunks } from './chunks.js';
import { attachment } from './content-disposition.js';
import {
  assertKey,
  type ByteRange,
  type DownloadGrant,
  isKey,
  ObjectMissing,
  ObjectStore,
  type PartGrant,
  type PartName,
  type StoredObject,
  type StoredPart,
  UploadMissing,
} from './object-store.js';
import { S3Client } from './s3-client.js';
import { codeOf, errorOf, NoSuchRange, portError } from './s3-errors.js';
import { S3FaultLog } from './s3-fault-log.js';

/** Maximum time without a response from the store. Combining parts may take longer. */
const TIMEOUT_MS = 10_000;
const COMPLETION_TIMEOUT_MS = 120_000;
/** Part size in bytes for objects of unknown size. */
const STREAM_PART_BYTES = 8 * 1024 ** 2;
const DELETED_AT_ONCE = 1000;
/** Maximum lifetime of a signed URL. */
const WEEK_SECONDS = 7 * 24 * 60 * 60;

/**
 * Stores objects in a bucket of MinIO or another S3 server. Clients send parts to the server and download from it directly,
 * with URLs signed for the address at which they reach it.
 *
 * Error responses from the store are translated to the errors of {@link ObjectStore}. Unexpected errors are logged and become
 * `Unavailable`.
 */
export class MinioStore extends ObjectStore implements OnModuleInit {
  private readonly bucket: string;
  private readonly client: S3Client;
  private readonly patientClient: S3Client;
  /** Client that signs URLs for the public host, because the host is part of a signature. */
  private readonly publicClient: S3Client;
  private readonly faults: S3FaultLog;
  private prepared: Promise<void> | undefined;

  constructor(
    private readonly settings: S3Settings,
    logger: Logger,
    timeoutMs = TIMEOUT_MS,
  ) {
    super();
    this.faults = new S3FaultLog(logger);
    this.bucket = settings.bucket;
    const client = (endpoint: string, longestMs = timeoutMs): S3Client =>
      new S3Client(settings, endpoint, longestMs, (date) => this.faults.checkClock(date));
    this.client = client(settings.endpoint);
    this.patientClient = client(settings.endpoint, Math.max(timeoutMs, COMPLETION_TIMEOUT_MS));
    this.publicClient = client(settings.publicEndpoint);
  }

  /** Prepares the bucket. A store that is not available yet does not prevent the start, because every request tries again. */
  async onModuleInit(): Promise<void> {
    try {
      await this.prepare();
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
    }
  }

  async check(): Promise<void> {
    await this.ask('', async () => {
      if (!(await this.client.hasBucket(this.bucket)))
        throw new Unavailable('unavailable', 'The bucket no longer exists');
    });
  }

  async put(key: string, body: Buffer | Readable): Promise<number> {
    assertKey(key);
    if (!Buffer.isBuffer(body)) return await this.putStream(key, body);
    await this.ask(key, () => this.client.writeObject(this.bucket, key, body));
    return body.length;
  }

  async get(key: string, range?: ByteRange): Promise<Readable> {
    assertKey(key);
    try {
      const bytes = await this.ask(key, () => this.open(key, range));
      return Readable.from(this.relay(key, bytes), { objectMode: false });
    } catch (error) {
      if (error instanceof NoSuchRange) return Readable.from([]);
      throw error;
    }
  }

  async size(key: string): Promise<number | undefined> {
    assertKey(key);
    try {
      return (await this.ask(key, () => this.client.statObject(this.bucket, key))).size;
    } catch (error) {
      if (error instanceof ObjectMissing) return undefined;
      throw error;
    }
  }

  async delete(keys: readonly string[]): Promise<void> {
    for (let from = 0; from < keys.length; from += DELETED_AT_ONCE) {
      const some = keys.slice(from, from + DELETED_AT_ONCE);
      await this.ask(some[0] ?? '', async () => {
        const [refused] = await this.client.removeObjects(this.bucket, some);
        if (refused != null) throw errorOf(refused);
      });
    }
  }

  async *list(kind: string): AsyncGenerator<StoredObject> {
    assertKey(`${kind}/any`);
    await this.prepare();
    try {
      const objects = this.client.listObjectsV2(this.bucket, `${kind}/`, true) as AsyncIterable<{
        name?: string;
        size: number;
      }>;
      for await (const { name, size } of objects) if (name !== undefined && isKey(name)) yield { key: name, size };
    } catch (error) {
      throw this.translate('', error);
    }
  }

  async startUpload(key: string): Promise<string> {
    assertKey(key);
    return await this.ask(key, () => this.client.initiateNewMultipartUpload(this.bucket, key, {}));
  }

  async signPart({ key, uploadId, partNumber, expiresAt }: PartGrant): Promise<string> {
    assertKey(key);
    const query = { uploadId, partNumber: String(partNumber) };
    return await this.publicClient.presignedUrl('PUT', this.bucket, key, lifetime(expiresAt), query);
  }

  async signDownload({ key, fileName, contentType, expiresAt }: DownloadGrant): Promise<string> {
    assertKey(key);
    return await this.publicClient.presignedUrl('GET', this.bucket, key, lifetime(expiresAt), {
      'response-content-disposition': attachment(fileName),
      'response-content-type': contentType,
      'response-cache-control': 'private, no-store',
    });
  }

  async listParts(key: string, uploadId: string): Promise<StoredPart[]> {
    assertKey(key);
    return await this.ask(key, () => this.client.partsOf(this.bucket, key, uploadId));
  }

  async completeUpload(key: string, uploadId: string, parts: readonly PartName[]): Promise<void> {
    assertKey(key);
    if (parts.length === 0) return await this.completeEmpty(key, uploadId);
    const storeParts = parts.map(({ part_number, etag }) => ({ part: part_number, etag }));
    await this.ask(key, () => this.patientClient.completeMultipartUpload(this.bucket, key, uploadId, storeParts));
  }

  async abortUpload(key: string, uploadId?: string): Promise<void> {
    assertKey(key);
    const ids =
      uploadId === undefined ? await this.ask(key, () => this.client.uploadsOf(this.bucket, key)) : [uploadId];
    for (const id of ids) {
      try {
        await this.ask(key, () => this.client.abortMultipartUpload(this.bucket, key, id));
      } catch (error) {
        if (!(error instanceof UploadMissing)) throw error;
      }
    }
  }

  /**
   * Creates an empty object, because S3 cannot complete an upload without parts. Can be repeated after an interruption, because
   * the upload is deleted last.
   */
  private async completeEmpty(key: string, uploadId: string): Promise<void> {
    await this.listParts(key, uploadId);
    await this.put(key, Buffer.alloc(0));
    await this.abortUpload(key, uploadId);
  }

  private async putStream(key: string, body: Readable): Promise<number> {
    const chunks = inChunks(body, STREAM_PART_BYTES);
    const first = await chunks.next();
    if (first.done === true || first.value.length < STREAM_PART_BYTES) {
      return await this.put(key, first.value ?? Buffer.alloc(0));
    }
    const uploadId = await this.startUpload(key);
    try {
      const parts: PartName[] = [];
      let size = 0;
      for (let next: IteratorResult<Buffer, undefined> = first; next.done !== true; next = await chunks.next()) {
        const [part_number, bytes] = [parts.length + 1, next.value];
        const send = () => this.client.writePart(this.bucket, key, uploadId, part_number, bytes);
        parts.push({ part_number, etag: await this.ask(key, send) });
        size += bytes.length;
      }
      await this.completeUpload(key, uploadId, parts);
      return size;
    } catch (error) {
      await this.abortUpload(key, uploadId);
      throw error;
    }
  }

  private async open(key: string, range: ByteRange | undefined): Promise<Readable> {
    if (range === undefined) return await this.client.getObject(this.bucket, key);
    const { start, end } = range;
    if (end >= start) {
      // S3 returns all bytes from `start` if the length is undefined.
      const length = end === Infinity ? undefined : end - start + 1;
      return await this.client.getPartialObject(this.bucket, key, start, length);
    }
    await this.client.statObject(this.bucket, key);
    return Readable.from([]);
  }

  /** Yields the bytes of a stream and translates its errors. */
  private async *relay(key: string, bytes: Readable): AsyncGenerator<Buffer> {
    try {
      yield* bytes as AsyncIterable<Buffer>;
    } catch (error) {
      throw this.translate(key, error);
    }
  }

  private async ask<Answer>(key: string, question: () => Promise<Answer>): Promise<Answer> {
    await this.prepare();
    try {
      return await question();
    } catch (error) {
      throw this.translate(key, error);
    }
  }

  /** Creates the bucket if it does not exist. Once the bucket has been found, it is not checked again. */
  private async prepare(): Promise<void> {
    this.prepared ??= this.makeBucket();
    try {
      await this.prepared;
    } catch (error) {
      this.prepared = undefined;
      throw this.translate('', error);
    }
  }

  private async makeBucket(): Promise<void> {
    if (await this.client.hasBucket(this.bucket)) return;
    try {
      await this.client.makeBucket(this.bucket, this.settings.region);
    } catch (error) {
      // Another process has created the bucket in the meantime.
      if (!['BucketAlreadyOwnedByYou', 'BucketAlreadyExists'].includes(codeOf(error))) throw error;
    }
  }

  private translate(key: string, error: unknown): Error {
    return portError(key, error, this.faults);
  }
}

function lifetime(expiresAt: Date): number {
  return Math.min(Math.max(Math.ceil((expiresAt.getTime() - Date.now()) / 1000), 1), WEEK_SECONDS);
}
