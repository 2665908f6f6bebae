import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { BadRequest, Conflict, Gone } from '../../common/errors/errors.js';
import { InvalidPart, ObjectStore, type PartName, type StoredPart, UploadMissing } from '../../storage/object-store.js';
import { keyOf } from '../blobs/blobs.service.js';
import { chooseParts, partLimit } from './part-plan.js';
import type { UploadPartUrl } from './uploads.dto.js';

/** Fields of an upload that the store needs. */
export interface StoredUpload {
  /** Null if the upload has ended. */
  blob_id: string | null;
  store_upload_id: string | null;
  /** Declared size. */
  size: number | null;
  part_size: number;
  expires_at: Date;
}

/** Manages uploads in the object store. */
@Injectable()
export class UploadObjectsService {
  constructor(
    private readonly store: ObjectStore,
    private readonly config: Config,
  ) {}

  /** Begins an upload and returns the store's id for it. */
  async begin(blob_id: string): Promise<string> {
    return await this.store.startUpload(keyOf(blob_id));
  }

  /** Signs URLs for parts. `origin` is the address at which the client reached this service. */
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

  /**
   * Returns the parts that were received. @throws Conflict if an interrupted completion has already created the object @throws
   * Gone
   */
  async received(upload: StoredUpload): Promise<StoredPart[]> {
    const { key, uploadId } = namesOf(upload);
    try {
      return await this.store.listParts(key, uploadId);
    } catch (error) {
      if (!(error instanceof UploadMissing)) throw error;
    }
    if ((await this.store.size(key)) === undefined) throw partsGone();
    throw new Conflict('upload_assembled', 'The parts are already assembled; complete or abort the upload');
  }

  /**
   * Creates the object from the named parts, or from all parts if none are named, and returns its size. After an interrupted
   * completion it finds the existing object.
   *
   * @param admit throws if a file of this size is not allowed, before its parts are combined
   * @throws BadRequest if the parts do not match the declared file @throws TooLarge @throws Gone
   */
  async assemble(
    upload: StoredUpload,
    requested: readonly PartName[],
    admit: (size: number) => Promise<void>,
  ): Promise<number> {
    const { key, uploadId } = namesOf(upload);
    try {
      const received = await this.store.listParts(key, uploadId);
      const { parts, size } = chooseParts(received, requested, {
        size: upload.size,
        maxBytes: this.config.FILES_MAX_BYTES,
      });
      await admit(size);
      await this.store.completeUpload(key, uploadId, parts);
      return size;
    } catch (error) {
      if (error instanceof InvalidPart)
        throw new BadRequest(
          'part_changed',
          'A part has changed in the meantime; get the upload status and complete the upload again',
        );
      if (!(error instanceof UploadMissing)) throw error;
    }
    const size = await this.store.size(key);
    if (size === undefined) throw partsGone();
    return size;
  }

  /** Drops the parts, and the object if it exists. */
  async drop({ blob_id, store_upload_id }: Pick<StoredUpload, 'blob_id' | 'store_upload_id'>): Promise<void> {
    if (blob_id === null) return;
    // Even without a known id, the store may have begun the upload.
    await this.store.abortUpload(keyOf(blob_id), store_upload_id ?? undefined);
    await this.store.delete([keyOf(blob_id)]);
  }
}

function namesOf({ blob_id, store_upload_id }: StoredUpload): { key: string; uploadId: string } {
  if (blob_id === null || store_upload_id === null) throw partsGone();
  return { key: keyOf(blob_id), uploadId: store_upload_id };
}

const partsGone = (): Gone => new Gone('upload_parts_gone', 'The parts of the upload are gone; start a new one');
