import { randomUUID } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { DatabaseService, type Tx } from '../../database/database.service.js';
import { Conflict, Forbidden, NotFound, TooLarge } from '../../common/errors/errors.js';
import {
  type AdmittedPart,
  DiskTransfersService,
  PART_SUPERSEDED,
  type TransferRules,
} from '../../storage/disk-transfers.service.js';
import type { PartUrl } from '../../storage/signed-urls.service.js';
import { blobOf, BlobsService } from '../blobs/blobs.service.js';
import { readScope } from '../download-scope.js';
import { ContainersRepository } from '../tree/containers.repository.js';
import { UploadPartsRepository } from './upload-parts.repository.js';
import { type OpenUpload, UploadsRepository } from './uploads.repository.js';

/**
 * Limits uploads through the disk store's signed URLs. The URLs stop working when their upload, container or API key ends.
 * Bytes are counted before they are written, so that no upload exceeds its declared size and no company exceeds its storage
 * limit. Bytes that a crashed process was receiving stay counted until the part is sent again or the upload ends.
 */
@Injectable()
export class PartAdmissionService implements OnModuleInit, TransferRules {
  constructor(
    private readonly database: DatabaseService,
    private readonly uploads: UploadsRepository,
    private readonly parts: UploadPartsRepository,
    private readonly containers: ContainersRepository,
    private readonly blobs: BlobsService,
    private readonly transfers: DiskTransfersService,
    private readonly config: Config,
  ) {}

  onModuleInit(): void {
    this.transfers.provide(this);
  }

  async admitPart(
    { key, uploadId: storeUploadId, partNumber, maxBytes }: PartUrl,
    announced: number | undefined,
  ): Promise<AdmittedPart> {
    return await this.database.transaction(async (tx) => {
      const parts = tx.withRepository(this.parts);
      const upload = await tx.withRepository(this.uploads).lockOpen(blobOf(key), storeUploadId);
      if (upload === undefined) throw new NotFound('Upload');
      if (upload.is_revoked)
        throw new Forbidden('api_key_revoked', 'The API key that started this upload is no longer valid');
      const { id, size: declared } = upload;
      const before = await parts.countedBytes(id, partNumber);
      const total = declared ?? this.config.FILES_MAX_BYTES;
      const room = Math.min(maxBytes, total - upload.received + before);
      if ((announced ?? 0) > room) {
        throw new TooLarge(
          'part_too_large',
          room === maxBytes
            ? `This part must not exceed ${maxBytes} bytes`
            : `The parts of this upload must not exceed ${total} bytes in total`,
        );
      }
      const allowed = await this.allowance(tx, upload, before, room, announced);
      const request = { upload_id: id, part_number: partNumber, put_id: randomUUID() };
      await parts.expect(request, announced ?? allowed);
      return {
        maxBytes: allowed,
        keep: async (size) => {
          if (!(await this.parts.end(request, size))) throw new Conflict('part_sent_again', PART_SUPERSEDED);
        },
        release: async () => {
          await this.parts.end(request, null);
        },
      };
    });
  }

  async mayRead(scope: string): Promise<boolean> {
    const { container_id, api_key_id } = readScope(scope);
    return await this.containers.isReadable(container_id, api_key_id);
  }

  /** Returns how much of `room` fits into the company's storage limit. A declared size was counted when the upload started. */
  private async allowance(
    tx: Tx,
    { company_id, size }: OpenUpload,
    before: number,
    room: number,
    announced: number | undefined,
  ): Promise<number> {
    if (size !== null) return room;
    const remaining = (await this.blobs.remainingBytes(tx, company_id)) + before;
    // If the sender declared no length, at least one byte is expected.
    if ((announced ?? 1) > remaining) throw this.blobs.tooMuch();
    return Math.min(room, remaining);
  }
}
