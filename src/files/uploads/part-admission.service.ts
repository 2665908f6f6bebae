import { randomUUID } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { Conflict, Forbidden, NotFound, TooLarge } from '../../platform/errors/errors.js';
import {
  type AdmittedPart,
  DiskTransfers,
  SENT_AGAIN,
  type TransferRules,
} from '../../platform/object-store/disk-transfers.service.js';
import type { PartUrl } from '../../platform/object-store/signed-urls.js';
import { blobOf, BlobsService } from '../blobs.service.js';
import { COUNTED_OF_PART, DOWNLOAD_ALLOWED, END_PART, EXPECT_PART, UPLOAD_OF_PART } from './upload-sql.js';
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
 * company more than it may keep. What a process that dies was receiving stays counted until the part is sent again or the
 * upload ends.
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
      const [replaced]: { counted: number }[] = await tx.query(COUNTED_OF_PART, [id, partNumber]);
      const before = replaced?.counted ?? 0;
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
      const put_id = randomUUID();
      await tx.query(EXPECT_PART, [id, partNumber, put_id, announced ?? allowed]);
      const end = async (size: number | null): Promise<boolean> => {
        const ended: unknown[] = await this.database.manager.query(END_PART, [id, partNumber, put_id, size]);
        return ended.length > 0;
      };
      return {
        maxBytes: allowed,
        keep: async (size) => {
          if (!(await end(size))) throw new Conflict(SENT_AGAIN);
        },
        release: async () => {
          await end(null);
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
    announced: number | undefined,
  ): Promise<number> {
    if (size !== null) return room;
    const left = (await this.blobs.left(tx, company_id)) + before;
    // Without a length there is at least one byte to come, as far as one can tell.
    if ((announced ?? 1) > left) throw this.blobs.tooMuch();
    return Math.min(room, left);
  }
}

/** What a download URL depends on beside its object. */
export const scopeOf = (container_id: string, api_key_id: string | null): string =>
  `${container_id}.${api_key_id ?? ''}`;
