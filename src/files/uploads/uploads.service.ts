import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import type { Principal } from '../../auth/principal.js';
import { Conflict, TooLarge } from '../../common/errors/errors.js';
import { ContainerResolverService } from '../container-resolver.service.js';
import { normalizePath } from '../tree/paths.js';
import { planParts } from './part-plan.js';
import { UploadObjectsService } from './upload-objects.service.js';
import { assertAlive, UploadRegistryService } from './upload-registry.service.js';
import type {
  UploadPartsRequest,
  UploadPartsResponse,
  UploadStartRequest,
  UploadStartResponse,
  UploadStatusResponse,
} from './uploads.dto.js';
import type { FoundUpload } from './uploads.repository.js';

/** Uploads until they are completed. */
@Injectable()
export class UploadsService {
  constructor(
    private readonly registry: UploadRegistryService,
    private readonly objects: UploadObjectsService,
    private readonly resolver: ContainerResolverService,
    private readonly config: Config,
  ) {}

  /** Begins an upload; `origin` is where the client has reached this service. @throws NotFound @throws Forbidden @throws TooLarge */
  async start(caller: Principal, body: UploadStartRequest, origin: string): Promise<UploadStartResponse> {
    const { company_id, container_id } = await this.resolver.findForWriting(caller, body);
    const { FILES_MAX_BYTES: maxBytes } = this.config;
    const size = body.size ?? null;
    if (size !== null && size > maxBytes)
      throw new TooLarge('file_too_large', `A file may have at most ${maxBytes} bytes`);
    const { part_size, parts } = planParts(size, maxBytes);
    const opened = await this.registry.open({
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

  /** More part URLs. @throws NotFound @throws Conflict @throws Gone @throws Forbidden */
  async sign(
    caller: Principal,
    { upload_token, part_numbers }: UploadPartsRequest,
    origin: string,
  ): Promise<UploadPartsResponse> {
    const upload = await this.findOpen(caller, upload_token);
    return { parts: await this.objects.sign(upload, part_numbers, origin), expires_at: upload.expires_at };
  }

  /** What was received, for clients that resume. @throws NotFound @throws Conflict @throws Gone @throws Forbidden */
  async status(caller: Principal, upload_token: string): Promise<UploadStatusResponse> {
    const upload = await this.findOpen(caller, upload_token);
    const { part_size, size, expires_at } = upload;
    return { parts: await this.objects.received(upload), part_size, size, expires_at };
  }

  /** Ends an upload that is not wanted, whatever else its opener may still do; again is fine. @throws NotFound @throws Conflict when it is completed or being so @throws Forbidden */
  async abort(caller: Principal, upload_token: string): Promise<void> {
    const upload = await this.registry.findEndable(caller, upload_token);
    if (upload.state === 'aborted') return;
    if (upload.state === 'completed') throw completed();
    if (!(await this.drop(upload.id))) throw new Conflict('upload_being_completed', 'The upload is being completed');
  }

  /**
   * Drops an upload with its objects. Returns false if it has ended or another request has its lease. The objects go first. If the
   * store is away, the upload expires, so it no longer counts and the next sweep drops it.
   */
  async drop(id: string): Promise<boolean> {
    const lease = await this.registry.claim(id);
    if (lease === undefined) return false;
    try {
      await this.objects.drop(lease);
    } catch (error) {
      await this.registry.expire(id);
      throw error;
    }
    await this.registry.abort(lease);
    return true;
  }

  /** An upload that the store cannot begin expires at once. The store may have begun it all the same, so the sweep drops it. */
  private async begin(id: string, blob_id: string): Promise<string> {
    try {
      const store_upload_id = await this.objects.begin(blob_id);
      await this.registry.begun(id, store_upload_id);
      return store_upload_id;
    } catch (error) {
      await this.registry.expire(id);
      throw error;
    }
  }

  private async findOpen(caller: Principal, token: string): Promise<FoundUpload> {
    const upload = await this.registry.findWritable(caller, token);
    assertAlive(upload);
    if (upload.state === 'completed') throw completed();
    return upload;
  }
}

const completed = (): Conflict => new Conflict('upload_completed', 'The upload is completed');
