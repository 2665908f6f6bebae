import { createHash, randomBytes } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ApiKeysService } from '../../auth/api-keys/api-keys.service.js';
import type { Principal } from '../../auth/principal.js';
import { DatabaseService, type Tx } from '../../database/database.service.js';
import { Conflict, Gone, NotFound, TooLarge } from '../../common/errors/errors.js';
import { PeriodicWorkService } from '../../database/queues/periodic-work.service.js';
import { BlobsService } from '../blobs/blobs.service.js';
import { ContainerResolverService } from '../container-resolver.service.js';
import type { FileEntry } from '../files.dto.js';
import type { ContainerRef } from '../tree/container-ref.js';
import { SWEEP_UPLOADS } from '../tree/containers.service.js';
import { type FoundUpload, type UploadLease, UploadsRepository } from './uploads.repository.js';

const MAX_OPEN_UPLOADS = 100;
/** So that no member takes all of them, with keys or without; company-level callers answer for their company. */
const MAX_OPEN_UPLOADS_OF_MEMBER = 20;

/** A new upload, before the store knows of it. */
export interface NewUpload extends ContainerRef {
  /** Who opens it; absent for what no request has asked for. */
  caller?: Principal;
  path: string;
  content_type: string | null;
  size: number | null;
  part_size: number;
}

export interface OpenedUpload {
  token: string;
  id: string;
  blob_id: string;
  expires_at: Date;
  /** How the store calls it; null before it knows of it. */
  store_upload_id: string | null;
}

/** Uploads by their tokens, how many there may be, and who is finishing what. */
@Injectable()
export class UploadRegistryService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly uploads: UploadsRepository,
    private readonly blobs: BlobsService,
    private readonly resolver: ContainerResolverService,
    private readonly apiKeys: ApiKeysService,
    private readonly periodic: PeriodicWorkService,
  ) {}

  /** What a key has begun ends with it, in the store too. */
  onModuleInit(): void {
    this.apiKeys.onRevoke(async (tx, api_key_id) => {
      await tx.withRepository(this.uploads).expireOf(api_key_id);
      this.sweepSoon(tx);
    });
  }

  /**
   * Opens an upload of a new blob; a declared size counts as kept from now on.
   *
   * @throws TooLarge when the caller or the company has too many open, or the company may not keep as much
   */
  async open(upload: NewUpload): Promise<OpenedUpload> {
    return await this.database.transaction(async (tx) => {
      const open = async (): Promise<OpenedUpload> => await this.add(tx, upload);
      // The token is told nowhere but in the answer, which was never sent.
      const goOn = async (left: unknown): Promise<OpenedUpload> => await this.goOn(tx, upload, left as OpenedUpload);
      return upload.caller?.keyed === undefined ? await open() : await upload.caller.keyed.claim(tx, open, goOn);
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
    const opener = { user_id: caller?.user_id, api_key_id: caller?.api_key_id };
    const opened = await uploads.open({ ...row, ...opener, token_hash: hashOf(token), blob_id });
    return { token, blob_id, ...opened, store_upload_id: null };
  }

  /** The upload of an earlier request that got no answer, or a new one if the store had not begun it. @throws Conflict @throws Gone */
  private async goOn(tx: Tx, upload: NewUpload, { token, id, blob_id }: OpenedUpload): Promise<OpenedUpload> {
    const { state, store_upload_id, expires_at } = await tx.withRepository(this.uploads).findOneByOrFail({ id });
    const expired = expires_at <= new Date();
    if (store_upload_id === null && (expired || state === 'aborted')) return await this.add(tx, upload);
    assertAlive({ state, expired });
    return { token, id, blob_id, expires_at, store_upload_id };
  }

  /** Notes how the store calls the upload. */
  async begun(id: string, store_upload_id: string): Promise<void> {
    await this.uploads.update(id, { store_upload_id });
  }

  /** Lets an upload expire now: it counts no longer, and the next sweep drops it. */
  async expire(id: string): Promise<void> {
    await this.uploads.expire(id);
  }

  /** Ends the open uploads to a container, which is locked. */
  async expireTo(tx: Tx, container_id: string): Promise<void> {
    await tx.withRepository(this.uploads).expireTo(container_id);
    this.sweepSoon(tx);
  }

  /** What the store has of uploads that are over need not wait for the next time that uploads are looked through. */
  private sweepSoon(tx: Tx): void {
    this.database.afterCommit(tx, () => this.periodic.soon(SWEEP_UPLOADS));
  }

  /** The upload of a token that the caller may still write to. @throws NotFound @throws Forbidden */
  async findWritable(caller: Principal, token: string): Promise<FoundUpload> {
    const upload = await this.find(caller.company_id, token);
    const { container_kind, container_id } = upload;
    // Uploads go to these two only.
    const source = container_kind === 'deployment' ? container_kind : 'workspace';
    if (!(await this.resolver.mayWriteTo(caller, source, container_id))) throw new NotFound('Upload');
    return upload;
  }

  /** The upload of a token that the caller may end: theirs, or one that they may write to. @throws NotFound @throws Forbidden */
  async findEndable(caller: Principal, token: string): Promise<FoundUpload> {
    const upload = await this.find(caller.company_id, token);
    const isOpener = upload.user_id === caller.user_id && upload.api_key_id === caller.api_key_id;
    return isOpener ? upload : await this.findWritable(caller, token);
  }

  /** The upload of a token of the company; one to a container that was deleted is gone with it. @throws NotFound */
  async find(company_id: string, token: string): Promise<FoundUpload> {
    const upload = await this.uploads.findByToken(company_id, hashOf(token));
    if (upload === undefined) throw new NotFound('Upload');
    return upload;
  }

  /** Leases the upload to finish it; undefined when it is over or leased by another request. */
  async claim(id: string): Promise<UploadLease | undefined> {
    return await this.uploads.claim(id);
  }

  /** Releases the lease of the upload; does nothing when another request has taken it over. */
  async release(lease: UploadLease): Promise<void> {
    await this.uploads.release(lease);
  }

  /** Ends the upload with its answer; false when another request has taken it over. */
  async complete(tx: Tx, lease: UploadLease, entry: FileEntry): Promise<boolean> {
    return await tx.withRepository(this.uploads).end(lease, 'completed', entry);
  }

  /** Ends an upload without a file, with its blob; does nothing when another request has taken it over. */
  async abort(lease: UploadLease): Promise<void> {
    await this.database.transaction(async (tx) => {
      if (await tx.withRepository(this.uploads).end(lease, 'aborted', null))
        await this.blobs.discard(tx, lease.blob_id);
    });
  }
}

/** @throws Conflict for an aborted upload @throws Gone for one that has expired before it was completed */
export function assertAlive({ state, expired }: Pick<FoundUpload, 'state' | 'expired'>): void {
  if (state === 'aborted') throw new Conflict('upload_aborted', 'The upload was aborted; start a new one');
  if (state !== 'completed' && expired) throw new Gone('upload_expired', 'The upload has expired; start a new one');
}

async function assertFewOpen(uploads: UploadsRepository, company_id: string, caller?: Principal): Promise<void> {
  // One at a time in a company, so that the numbers are exact.
  await uploads.lockNumber(company_id);
  const { open, own } = await uploads.countOpen(company_id, caller);
  if (open >= MAX_OPEN_UPLOADS) {
    throw new TooLarge(
      'too_many_uploads',
      `The company has ${MAX_OPEN_UPLOADS} open uploads; complete or abort one first`,
    );
  }
  if (caller?.isCompanyLevel === false && own >= MAX_OPEN_UPLOADS_OF_MEMBER) {
    throw new TooLarge(
      'too_many_uploads',
      `You have ${MAX_OPEN_UPLOADS_OF_MEMBER} open uploads; complete or abort one first`,
    );
  }
}

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();
