import { BadRequestError, ConflictError, ConnectionError, errorOf, ForbiddenError, ServiceError } from './errors.js';
import { isTemporary, withRetries } from './retry.js';
import type { Schemas } from './schemas.js';
import { LinkedSignal, Watchdog } from './time.js';
import type { Transport } from './transport.js';

const UPLOAD = '/api/v1/files/upload';
const DEFAULT_PARALLEL = 3;
/** Timeout for a part: one minute, plus one second per this many bytes. */
const PART_MS = 60_000;
const SLOWEST_BYTES_PER_S = 8 * 1024;
/** Maximum number of attempts to complete an upload whose parts the store has lost. */
const MAX_ROUNDS = 3;
/** Error codes for a completion request whose parts are missing or incorrect. */
const MISSING_PART_CODES: unknown[] = [
  'etag_mismatch',
  'part_changed',
  'part_missing',
  'part_too_small',
  'size_mismatch',
];
/** Error codes for an interrupted part upload. */
const INTERRUPTED_PART_CODES: unknown[] = ['body_cut_off', 'body_too_slow'];

/** Destination of a file: `source`, the id that it requires, and `path`. The content type defaults to the Blob's type. */
export type UploadTarget = Omit<Schemas['UploadStartRequest'], 'size'> &
  Pick<Schemas['UploadCompleteRequest'], 'conversation_id'>;

/** State of a started upload, as JSON. Save it to resume the upload after a reload. Keep it secret. */
export interface UploadState {
  upload_token: string;
  part_size: number;
  /** File size in bytes. */
  size: number;
  /** Modification time of the file in milliseconds since the Unix epoch. Null if the file does not report it. */
  last_modified: number | null;
  /** Time when the upload expires. */
  expires_at: string;
}

/** Bytes received by the service, and the file size. */
export interface UploadProgress {
  loaded: number;
  total: number;
}

export interface UploadOptions {
  signal?: AbortSignal;
  /** Called at the start and after each part. */
  onProgress?: (progress: UploadProgress) => void;
  /** Called when the upload has started, before any data is sent. Receives the state needed to resume the upload. */
  onStart?: (state: UploadState) => void;
  /** State of an earlier upload of the same file to the same target. Only missing parts are sent. */
  resume?: UploadState | undefined;
  /** Number of parts to send in parallel. Default 3. */
  parallel?: number;
}

/** The file differs from the upload's original file. */
export class FileChangedError extends Error {
  override name = 'FileChangedError';
}

/** Upload of a file in parts. */
export class Upload {
  /** Sizes of the received parts, by part number. */
  private received = new Map<number, number>();
  private urls = new Map<number, string>();

  private constructor(
    private readonly transport: Transport,
    private readonly file: Blob,
    private readonly target: UploadTarget,
    readonly state: UploadState,
    private readonly options: UploadOptions,
  ) {}

  static async start(transport: Transport, file: Blob, target: UploadTarget, options: UploadOptions): Promise<Upload> {
    const body = { ...target, content_type: target.content_type ?? file.type, size: file.size };
    const { data } = await transport.call('post', `${UPLOAD}/start`, { body, signal: options.signal });
    const { upload_token, part_size, parts, expires_at } = data as Schemas['UploadStartResponse'];
    const state = { upload_token, part_size, size: file.size, last_modified: modificationTime(file), expires_at };
    const upload = new Upload(transport, file, target, state, options);
    upload.rememberUrls(parts);
    options.onStart?.(state);
    return upload;
  }

  /** @throws FileChangedError */
  static resume(
    transport: Transport,
    file: Blob,
    target: UploadTarget,
    options: UploadOptions & { resume: UploadState },
  ): Upload {
    const { size, last_modified } = options.resume;
    if (file.size !== size || (last_modified !== null && modificationTime(file) !== last_modified))
      throw new FileChangedError('The file has changed since the upload was started. Start a new upload.');
    return new Upload(transport, file, target, options.resume, options);
  }

  /** Sends the missing parts and completes the upload. */
  async finish(): Promise<Schemas['FileEntry']> {
    const isNew = this.options.resume === undefined;
    for (let round = 1; ; round += 1) {
      if (!isNew || round > 1) await this.readStatus();
      await this.sendMissing();
      try {
        return await this.complete();
      } catch (error) {
        const lacksParts = error instanceof BadRequestError && MISSING_PART_CODES.includes(error.code);
        if (!lacksParts || round === MAX_ROUNDS) throw error;
      }
    }
  }

  /** Aborts the upload. The service then discards its parts. */
  async abort(): Promise<void> {
    await this.transport.callOnce('post', `${UPLOAD}/abort`, { body: { upload_token: this.state.upload_token } });
  }

  private get parts(): number[] {
    const { size, part_size } = this.state;
    return Array.from({ length: Math.max(1, Math.ceil(size / part_size)) }, (_, index) => index + 1);
  }

  private sliceOf(part: number): Blob {
    const { part_size } = this.state;
    return this.file.slice((part - 1) * part_size, part * part_size);
  }

  /** Reads which parts were received. An assembled or completed upload has received all of its parts. */
  private async readStatus(): Promise<void> {
    const { upload_token } = this.state;
    const { signal } = this.options;
    try {
      const { data } = await this.transport.call('post', `${UPLOAD}/status`, { body: { upload_token }, signal });
      const { parts } = data as Schemas['UploadStatusResponse'];
      const receivedParts = parts.filter(({ part_number, size }) => size === this.sliceOf(part_number).size);
      this.received = new Map(receivedParts.map(({ part_number, size }) => [part_number, size]));
    } catch (error) {
      const isAssembled =
        error instanceof ConflictError && ['upload_assembled', 'upload_completed'].includes(error.code ?? '');
      if (!isAssembled) throw error;
      this.received = new Map(this.parts.map((part) => [part, this.sliceOf(part).size]));
    }
  }

  private async sendMissing(): Promise<void> {
    this.reportProgress();
    const missing = this.parts.filter((part) => !this.received.has(part));
    const unsigned = missing.filter((part) => !this.urls.has(part));
    if (unsigned.length > 0) await this.sign(unsigned);
    const { signal, parallel = DEFAULT_PARALLEL } = this.options;
    const linked = new LinkedSignal(signal);
    const queue = missing.values();
    const sender = async (): Promise<void> => {
      try {
        for (const part of queue) await this.sendPart(part, linked.signal);
      } catch (error) {
        // Stops the other senders.
        linked.abort(error);
        throw error;
      }
    };
    try {
      await Promise.all(Array.from({ length: Math.min(parallel, missing.length) }, sender));
    } finally {
      linked.release();
    }
  }

  private async sendPart(part: number, signal: AbortSignal): Promise<void> {
    const bytes = this.sliceOf(part);
    let isRenewed = false;
    await withRetries(
      async () => await this.putPart(part, bytes, signal),
      (error) => {
        if (!(error instanceof ForbiddenError) || isRenewed) return isRetriable(error);
        // The signed URL may have expired before the upload did.
        isRenewed = true;
        this.urls.delete(part);
        return true;
      },
      this.transport.retry,
      signal,
      this.transport.onRetry,
    );
    this.received.set(part, bytes.size);
    this.reportProgress();
  }

  private async putPart(part: number, body: Blob, signal: AbortSignal): Promise<void> {
    if (!this.urls.has(part)) await this.sign([part]);
    const url = this.urls.get(part) ?? '';
    const watchdog = new Watchdog(signal, PART_MS + (body.size / SLOWEST_BYTES_PER_S) * 1000);
    try {
      const request = new Request(url, { method: 'PUT', body, signal: watchdog.signal });
      const response = await this.transport.send(request, watchdog);
      const text = await response.text();
      if (!response.ok) throw errorOf(response, parseBody(text));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ServiceError) throw error;
      throw new ConnectionError(`Part ${part} could not be sent`, { cause: error });
    } finally {
      watchdog.release();
    }
  }

  private async sign(part_numbers: number[]): Promise<void> {
    const body = { upload_token: this.state.upload_token, part_numbers };
    const { data } = await this.transport.call('post', `${UPLOAD}/parts`, { body, signal: this.options.signal });
    this.rememberUrls((data as Schemas['UploadPartsResponse']).parts);
  }

  private rememberUrls(parts: Schemas['UploadPartUrl'][]): void {
    for (const { part_number, url } of parts) this.urls.set(part_number, url);
  }

  private async complete(): Promise<Schemas['FileEntry']> {
    const { upload_token } = this.state;
    // The request does not list the parts, because web pages cannot read the ETags from every store.
    const body = { ...this.target, upload_token };
    const { data } = await this.transport.call('post', `${UPLOAD}/complete`, { body, signal: this.options.signal });
    return data as Schemas['FileEntry'];
  }

  private reportProgress(): void {
    const loaded = [...this.received.values()].reduce((sum, size) => sum + size, 0);
    this.options.onProgress?.({ loaded, total: this.file.size });
  }
}

/** Whether a part may be sent again. Stores fail with any 5xx status, but retrying does not help when storage is full (507). */
function isRetriable(error: unknown): boolean {
  if (isTemporary(error)) return true;
  if (error instanceof BadRequestError) return INTERRUPTED_PART_CODES.includes(error.code);
  if (error instanceof ConflictError) return error.code === 'part_sent_again';
  return error instanceof ServiceError && error.status >= 500 && error.status !== 507;
}

const modificationTime = (file: Blob): number | null =>
  'lastModified' in file && typeof file.lastModified === 'number' ? file.lastModified : null;

/** Parses the service's JSON. Other stores respond with text. */
function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
