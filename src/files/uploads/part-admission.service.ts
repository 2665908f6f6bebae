import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { Forbidden, NotFound, TooLarge } from '../../platform/errors/errors.js';
import {
  type AdmittedPart,
  DiskTransfers,
  type TransferRules,
} from '../../platform/object-store/disk-transfers.service.js';
import type { PartUrl } from '../../platform/object-store/signed-urls.js';
import { blobOf, BlobsService } from '../blobs.service.js';
import { DOWNLOAD_ALLOWED, PART_SIZE, SET_PART_SIZE, UPLOAD_OF_PART } from './upload-sql.js';
// Known to the data source, though rows are never loaded as objects.
import './upload-part.entity.js';

interface OpenUpload {
  id: string;
  company_id: string;
  size: number | null;
  received: number;
  is_revoked: boolean;
}

/**
 * What signed URLs of the disk store may still do: they end with the upload, the container or the API key that they
 * come from. What an upload receives is counted before it is written, so that no upload has more than it has declared and no
 * company more than it may keep.
 */
@Injectable()
export class PartAdmission implements OnModuleInit, TransferRules {
  constructor(
    private readonly database: Database,
    private readonly blobs: BlobsService,
    private readonly transfers: DiskTransfers,
    private readonly config: Config,
  ) {}

  onModuleInit(): void {
    this.transfers.provide(this);
  }

  async admitPart(
    { key, uploadId, partNumber, maxBytes }: PartUrl,
    announced: number | undefined,
  ): Promise<AdmittedPart> {
    return await this.database.transaction(async (tx) => {
      const [upload]: OpenUpload[] = await tx.query(UPLOAD_OF_PART, [blobOf(key), uploadId]);
      if (upload === undefined) throw new NotFound('Upload');
      if (upload.is_revoked) throw new Forbidden('The API key that has opened this upload is not valid any more');
      const { id, size: declared } = upload;
      const [replaced]: { size: number }[] = await tx.query(PART_SIZE, [id, partNumber]);
      const before = replaced?.size ?? 0;
      const total = declared ?? this.config.FILES_MAX_BYTES;
      const room = Math.min(maxBytes, total - upload.received + before);
      if ((announced ?? 0) > room) {
        throw new TooLarge(
          room === maxBytes
            ? `This part may have at most ${maxBytes} bytes`
            : `The parts of this upload may have at most ${total} bytes together`,
        );
      }
      const allowed = await this.allowance(tx, upload, before, room, announced);
      await tx.query(SET_PART_SIZE, [id, partNumber, announced ?? allowed]);
      return {
        maxBytes: allowed,
        settle: async (size) => {
          await this.database.manager.query(SET_PART_SIZE, [id, partNumber, size ?? before]);
        },
      };
    });
  }

  async mayRead(scope: string): Promise<boolean> {
    const [container_id = '', api_key_id = ''] = scope.split('.');
    const rows: unknown[] = await this.database.manager.query(DOWNLOAD_ALLOWED, [
      container_id,
      api_key_id === '' ? null : api_key_id,
    ]);
    return rows.length > 0;
  }

  /** How much of `room` the company has left; a declared size was counted when the upload was started. */
  private async allowance(
    tx: Tx,
    { company_id, size }: OpenUpload,
    before: number,
    room: number,
    announced = 0,
  ): Promise<number> {
    if (size !== null) return room;
    const left = (await this.blobs.left(tx, company_id)) + before;
    if (announced > left) throw this.blobs.tooMuch();
    return Math.max(Math.min(room, left), 0);
  }
}

/** What a download URL depends on beside its object. */
export const scopeOf = (container_id: string, api_key_id: string | null): string =>
  `${container_id}.${api_key_id ?? ''}`;
