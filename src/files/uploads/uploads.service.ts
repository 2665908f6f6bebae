import { createHash, randomBytes } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { UploadId } from '../../database/checked-id.js';
import { ApiKeysService } from '../../auth/api-keys/api-keys.service.js';
import { Config } from '../../config/config.js';
import type { Principal } from '../../auth/principal.js';
import { Conflict, Gone, NotFound, TooLarge } from '../../common/errors/errors.js';
import { DatabaseService, type Tx } from '../../database/database.service.js';
import { PeriodicWorkService } from '../../database/queues/periodic-work.service.js';
import { BlobsService } from '../blobs/blobs.service.js';
import { ContainerResolverService } from '../container-resolver.service.js';
import type { ContainerRef } from '../tree/container-ref.js';
import { SWEEP_UPLOADS } from '../tree/containers.service.js';
import { normalizePath } from '../../../packages/paths/index.js';
import { planParts } from './part-plan.js';
import { UploadObjectsService } from './upload-objects.service.js';
import type {
  UploadPartsRequest,
  UploadPartsResponse,
  UploadStartRequest,
  UploadStartResponse,
  UploadStatusResponse,
} from './uploads.dto.js';
import { type UploadRow, UploadsRepository } from './uploads.repository.js';

const MAX_OPEN_UPLOADS = 100;
/**
 * Maximum number of open uploads per member, including the member's API keys, so that no member can use all of the company's
 * uploads. Company-level callers are limited only by the company's maximum.
 */
const MAX_OPEN_UPLOADS_OF_MEMBER = 20;

/** New upload that the store has not begun yet. */
interface NewUpload extends ContainerRef {
  /** Caller who opens the upload. */
  caller: Principal;
  path: string;
  content_type: string | null;
  size: number | null;
  part_size: number;
}

interface OpenedUpload {
  token: string;
  id: UploadId;
  blob_id: string;
  expires_at: Date;
  /** Store's id, or null before the store has begun the upload. */
  store_upload_id: string | null;
}

/** Manages uploads by token until they are completed. */
@Injectable()
export class UploadsService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly uploads: UploadsRepository,
    private readonly objects: UploadObjectsService,
    private readonly blobs: BlobsService,
    private readonly resolver: ContainerResolverService,
    private readonly config: Config,
    private readonly apiKeys: ApiKeysService,
    private readonly periodic: PeriodicWorkService,
  ) {}

  /** Ends the uploads of a revoked API key, including their parts in the store. */
  onModuleInit(): void {
    this.apiKeys.onRevoke(async (tx, api_key_id) => {
      await tx.withRepository(this.uploads).expireOf(api_key_id);
      this.sweepSoon(tx);
    });
  }

  /**
   * Begins an upload. `origin` is the address at which the client reached this service. @throws NotFound @throws Forbidden
   * @throws TooLarge
   */
  async start(caller: Principal, body: UploadStartRequest, origin: string): Promise<UploadStartResponse> {
    const { company_id, container_id } = await this.resolver.findForWriting(caller, body);
    const { FILES_MAX_BYTES: maxBytes } = this.config;
    const size = body.size ?? null;
    if (size !== null && size > maxBytes)
      throw new TooLarge('file_too_large', `A file must not exceed ${maxBytes} bytes`);
    const { part_size, parts } = planParts(size, maxBytes);
    const opened = await this.open({
      caller,
      company_id,
      container_id,
      path: normalizePath(body.path),
      content_type: body.content_type || null,
      size,
      part_size,
    });
    const { token, id, blob_id, expires_at } = opened;
    const store_upload_id = opened.store_upload_id ?? (await this.begin(id, blob_id));
    const numbers = Array.from({ length: parts }, (_, index) => index + 1);
    return {
      upload_token: token,
      part_size,
      parts: await this.objects.sign({ blob_id, store_upload_id, size, part_size, expires_at }, numbers, origin),
      expires_at,
    };
  }

  /**
   * Opens an upload with a new blob. A declared size counts toward the storage limit from now on.
   *
   * @throws TooLarge if the caller or the company has too many open uploads, or the storage limit would be exceeded
   */
  private async open(upload: NewUpload): Promise<OpenedUpload> {
    return await this.database.transaction(async (tx) => {
      const open = async (): Promise<OpenedUpload> => await this.add(tx, upload);
      // Resumes the earlier request's upload. The upload's token is only in the response, which was never sent.
      const resume = async (earlierResult: unknown): Promise<OpenedUpload> =>
        await this.resume(tx, upload, earlierResult as OpenedUpload);
      return upload.caller.keyed === undefined ? await open() : await upload.caller.keyed.claim(tx, open, resume);
    });
  }

  private async add(tx: Tx, upload: NewUpload): Promise<OpenedUpload> {
    const { caller, ...row } = upload;
    const { company_id, size } = row;
    const token = randomBytes(32).toString('base64url');
    const uploads = tx.withRepository(this.uploads);
    await assertFewOpen(uploads, company_id, caller);
    await this.blobs.reserve(tx, company_id, size ?? 0);
    const blob_id = await this.blobs.begin(tx, company_id);
    const { user_id, api_key_id } = caller;
    const opened = await uploads.open({ ...row, user_id, api_key_id, token_hash: hashOf(token), blob_id });
    return { token, blob_id, ...opened, store_upload_id: null };
  }

  /**
   * Returns the upload from an earlier request that got no response. Opens a new upload if the earlier upload ended and never
   * reached the store.
   *
   * @throws Conflict
   * @throws Gone
   */
  private async resume(tx: Tx, upload: NewUpload, { token, id, blob_id }: OpenedUpload): Promise<OpenedUpload> {
    const { state, store_upload_id, expires_at } = await tx.withRepository(this.uploads).findOneByOrFail({ id });
    const expired = expires_at <= new Date();
    if (store_upload_id === null && (expired || state === 'aborted')) return await this.add(tx, upload);
    assertAlive({ state, expired });
    return { token, id, blob_id, expires_at, store_upload_id };
  }

  /** Signs more part URLs. @throws NotFound @throws Conflict @throws Gone @throws Forbidden */
  async sign(
    caller: Principal,
    { upload_token, part_numbers }: UploadPartsRequest,
    origin: string,
  ): Promise<UploadPartsResponse> {
    const upload = await this.findOpen(caller, upload_token);
    return { parts: await this.objects.sign(upload, part_numbers, origin), expires_at: upload.expires_at };
  }

  /**
   * Returns the received parts, so that a client can resume the upload. @throws NotFound @throws Conflict @throws Gone @throws
   * Forbidden
   */
  async status(caller: Principal, upload_token: string): Promise<UploadStatusResponse> {
    const upload = await this.findOpen(caller, upload_token);
    const { part_size, size, expires_at } = upload;
    return { parts: await this.objects.received(upload), part_size, size, expires_at };
  }

  /**
   * Aborts an upload, even if its opener may no longer write. Can be repeated. @throws NotFound @throws Conflict if it is
   * completed or being completed @throws Forbidden
   */
  async abort(caller: Principal, upload_token: string): Promise<void> {
    const upload = await this.findEndable(caller, upload_token);
    if (upload.state === 'aborted') return;
    if (upload.state === 'completed') throw completed();
    if (!(await this.drop(upload.id)))
      throw new Conflict('upload_being_completed', 'Another request is completing the upload; try again later');
  }

  /**
   * Drops an upload with its objects. Returns false if it has ended or another request has its lease. The objects are deleted
   * first. If the store is unavailable, the upload expires, so it no longer counts and the next sweep drops it.
   */
  async drop(id: UploadId): Promise<boolean> {
    const lease = await this.uploads.claim(id);
    if (lease === undefined) return false;
    try {
      await this.objects.drop(lease);
    } catch (error) {
      await this.uploads.expire(id);
      throw error;
    }
    await this.database.transaction(async (tx) => {
      if (await tx.withRepository(this.uploads).end(lease, 'aborted', null))
        await this.blobs.discard(tx, lease.blob_id);
    });
    return true;
  }

  /**
   * Begins the upload in the store. If that fails, the upload expires immediately. The store may have begun it anyway, so the
   * sweep drops it.
   */
  private async begin(id: UploadId, blob_id: string): Promise<string> {
    try {
      const store_upload_id = await this.objects.begin(blob_id);
      await this.uploads.update(id, { store_upload_id });
      return store_upload_id;
    } catch (error) {
      await this.uploads.expire(id);
      throw error;
    }
  }

  /** Ends the open uploads to a locked container. */
  async expireTo(tx: Tx, container_id: string): Promise<void> {
    await tx.withRepository(this.uploads).expireTo(container_id);
    this.sweepSoon(tx);
  }

  /** Schedules a sweep, so that ended uploads are removed from the store without waiting for the next regular sweep. */
  private sweepSoon(tx: Tx): void {
    this.database.afterCommit(tx, () => this.periodic.requestRun(SWEEP_UPLOADS));
  }

  /** Returns the upload that a token identifies if the caller may still write to it. @throws NotFound @throws Forbidden */
  async findWritable(caller: Principal, token: string): Promise<UploadRow> {
    const upload = await this.find(caller.company_id, token);
    const { container_kind, container_id } = upload;
    if (!(await this.resolver.mayWriteTo(caller, container_kind, container_id))) throw new NotFound('Upload');
    return upload;
  }

  /**
   * Returns the upload that a token identifies if the caller opened it or may write to it, and therefore may end it. @throws
   * NotFound @throws Forbidden
   */
  private async findEndable(caller: Principal, token: string): Promise<UploadRow> {
    const upload = await this.find(caller.company_id, token);
    const isOpener = upload.user_id === caller.user_id && upload.api_key_id === caller.api_key_id;
    return isOpener ? upload : await this.findWritable(caller, token);
  }

  /** Returns the company's upload with this token. Uploads to a deleted container are not found. @throws NotFound */
  async find(company_id: string, token: string): Promise<UploadRow> {
    const upload = await this.uploads.findByToken(company_id, hashOf(token));
    if (upload === undefined) throw new NotFound('Upload');
    return upload;
  }

  private async findOpen(caller: Principal, token: string): Promise<UploadRow> {
    const upload = await this.findWritable(caller, token);
    assertAlive(upload);
    if (upload.state === 'completed') throw completed();
    return upload;
  }
}

/** @throws Conflict if the upload was aborted @throws Gone if it expired before it was completed */
export function assertAlive({ state, expired }: Pick<UploadRow, 'state' | 'expired'>): void {
  if (state === 'aborted') throw new Conflict('upload_aborted', 'The upload was aborted; start a new one');
  if (state !== 'completed' && expired) throw new Gone('upload_expired', 'The upload has expired; start a new one');
}

async function assertFewOpen(uploads: UploadsRepository, company_id: string, caller: Principal): Promise<void> {
  // A company's transactions wait for each other here, so that the counts are exact.
  await uploads.lockNumber(company_id);
  const { open, own } = await uploads.countOpen(company_id, caller);
  if (open >= MAX_OPEN_UPLOADS) {
    throw new TooLarge(
      'too_many_uploads',
      `The company has ${MAX_OPEN_UPLOADS} open uploads; complete or abort one first`,
    );
  }
  if (caller.isCompanyLevel === false && own >= MAX_OPEN_UPLOADS_OF_MEMBER) {
    throw new TooLarge(
      'too_many_uploads',
      `You have ${MAX_OPEN_UPLOADS_OF_MEMBER} open uploads; complete or abort one first`,
    );
  }
}

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

const completed = (): Conflict => new Conflict('upload_completed', 'The upload is already completed');
