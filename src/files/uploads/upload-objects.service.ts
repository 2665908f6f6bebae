import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { BadRequest, Conflict, Gone } from '../../common/errors/errors.js';
import { InvalidPart, ObjectStore, type PartName, type StoredPart, UploadMissing } from '../../storage/object-store.js';
import { keyOf } from '../blobs/blobs.service.js';
import { chooseParts, partLimit } from './part-plan.js';
import type { UploadPartUrl } from './uploads.dto.js';

/** What the store must know of an upload. */
export interface StoredUpload {
  /** Null when the upload has ended. */
  blob_id: string | null;
  store_upload_id: string | null;
  /** As declared. */
  size: number | null;
  part_size: number;
  expires_at: Date;
}

/** Uploads as the object store has them. */
@Injectable()
export class UploadObjectsService {
  constructor(
    private readonly store: ObjectStore,
    private readonly config: Config,
  ) {}

  /** Begins an upload and resolves with the store's name of it. */
  async begin(blob_id: string): Promise<string> {
    return await this.store.startUpload(keyOf(blob_id));
  }

  /** URLs for parts; `origin` is where the client has reached this service. */
  async sign(upload: StoredUpload, part_numbers: readonly number[], origin: string): Promise<UploadPartUrl[]> {
    const { key, uploadId } = namesOf(upload);
    const grant = {
      key,
      uploadId,
      maxBytes: partLimit(upload),
      expiresAt: upload.expires_at,
      baseUrl: this.config.PUBLIC_URL ?? origin,
    };
    return await Promise.all(
      part_numbers.map(async (partNumber) => ({
        part_number: partNumber,
        url: await this.store.signPart({ ...grant, partNumber }),
      })),
    );
  }

  /** What was received until now. @throws Conflict when a completion that broke off has made the object already @throws Gone */
  async received(upload: StoredUpload): Promise<StoredPart[]> {
    const { key, uploadId } = namesOf(upload);
    try {
      return await this.store.listParts(key, uploadId);
    } catch (error) {
      if (!(error instanceof UploadMissing)) throw error;
    }
    if ((await this.store.size(key)) === undefined) throw gone();
    throw new Conflict('upload_assembled', 'The parts are put together already; complete or abort the upload');
  }

  /**
   * Makes the object of the named parts, or of all when none is named; resolves with its size. Done again after a
   * completion that broke off later, it finds the object made.
   *
   * @param admit refuses, by throwing, a file of this size before its parts are put together
   * @throws BadRequest when the parts are not the file that was declared @throws TooLarge @throws Gone
   */
  async assemble(
    upload: StoredUpload,
    named: readonly PartName[],
    admit: (size: number) => Promise<void>,
  ): Promise<number> {
    const { key, uploadId } = namesOf(upload);
    try {
      const received = await this.store.listParts(key, uploadId);
      const { parts, size } = chooseParts(received, named, {
        size: upload.size,
        maxBytes: this.config.FILES_MAX_BYTES,
      });
      await admit(size);
      await this.store.completeUpload(key, uploadId, parts);
      return size;
    } catch (error) {
      if (error instanceof InvalidPart)
        throw new BadRequest('part_changed', 'A part has changed meanwhile; look at the status and complete again');
      if (!(error instanceof UploadMissing)) throw error;
    }
    const size = await this.store.size(key);
    if (size === undefined) throw gone();
    return size;
  }

  /** Drops the parts, and the object if it was made. */
  async drop({ blob_id, store_upload_id }: Pick<StoredUpload, 'blob_id' | 'store_upload_id'>): Promise<void> {
    if (blob_id === null) return;
    // Without its name here the store may have begun it all the same.
    await this.store.abortUpload(keyOf(blob_id), store_upload_id ?? undefined);
    await this.store.delete([keyOf(blob_id)]);
  }
}

function namesOf({ blob_id, store_upload_id }: StoredUpload): { key: string; uploadId: string } {
  if (blob_id === null || store_upload_id === null) throw gone();
  return { key: keyOf(blob_id), uploadId: store_upload_id };
}

const gone = (): Gone => new Gone('upload_parts_gone', 'The parts of the upload are gone; start a new one');
