import type { Readable } from 'node:stream';

/** Maximum part number of an upload. Numbers start at 1. */
export const MAX_PARTS = 10_000;

/** Minimum part size in bytes, except for the last part. */
export const MIN_PART_SIZE = 5 * 1024 ** 2;

/** Bytes `start` to `end` of an object, both inclusive and zero-based. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Part of an upload as named by its sender. */
export interface PartName {
  part_number: number;
  /** Etag without quotes. */
  etag: string;
}

/** Part in the store. `size` is in bytes. */
export interface StoredPart extends PartName {
  size: number;
}

/** Object in a listing. `size` is in bytes. */
export interface StoredObject {
  key: string;
  size: number;
}

/** Permissions granted by a signed URL for sending a part. */
export interface PartGrant {
  key: string;
  uploadId: string;
  partNumber: number;
  /** Maximum part size in bytes. S3 cannot enforce it, so the size is checked again on completion. */
  maxBytes: number;
  expiresAt: Date;
  /** Address at which clients reach this service. Ignored by stores with their own address. */
  baseUrl: string;
}

/** Permissions granted by a signed URL for reading an object. */
export interface DownloadGrant {
  key: string;
  fileName: string;
  contentType: string;
  /** Restrictions on the URL in the caller's format. Stores with their own address cannot check them. */
  scope?: string;
  expiresAt: Date;
  baseUrl: string;
}

/** Thrown if no object exists under the key. */
export class ObjectMissing extends Error {}

/** Thrown if the upload was never started, or was completed or aborted. */
export class UploadMissing extends Error {}

/** Thrown if a named part was not received, has another etag, or is too small to precede another part. */
export class InvalidPart extends Error {}

const KEY = /^[a-z][a-z0-9-]*\/[a-z0-9-]{2,}$/;

export const isKey = (text: string): boolean => KEY.test(text);

/** Validates a key. Keys become paths and URL segments, so stores check them although only this service creates them. */
export function assertKey(key: string): void {
  if (!isKey(key)) throw new Error(`${JSON.stringify(key)} is not a valid key`);
}

/**
 * Stores file contents.
 *
 * Objects are immutable. Every write uses a new key, and keys are never reused. When a method resolves, its effect is durable.
 * An unavailable store rejects with `Unavailable`, and a full store with `InsufficientStorage`.
 */
export abstract class ObjectStore {
  /** Resolves if the store responds. @throws Unavailable, or InsufficientStorage if it is full */
  abstract check(): Promise<void>;

  /** Writes an object and returns its size in bytes. */
  abstract put(key: string, body: Buffer | Readable): Promise<number>;

  /** Returns the bytes of an object, or the existing bytes of a range. @throws ObjectMissing before the stream is returned */
  abstract get(key: string, range?: ByteRange): Promise<Readable>;

  /** Returns the size of an object in bytes, or undefined if it does not exist. */
  abstract size(key: string): Promise<number | undefined>;

  /** Deletes objects. Ignores keys without an object. */
  abstract delete(keys: readonly string[]): Promise<void>;

  /** Lists all objects whose keys begin with `<kind>/`, in any order. */
  abstract list(kind: string): AsyncIterable<StoredObject>;

  /** Begins an object that is sent in parts, and returns the upload's id. */
  abstract startUpload(key: string): Promise<string>;

  /** Returns a URL for a single `PUT` of the part. The response has the header `ETag`. */
  abstract signPart(grant: PartGrant): Promise<string>;

  /** Returns the received parts by number, with the latest version of each. @throws UploadMissing */
  abstract listParts(key: string, uploadId: string): Promise<StoredPart[]>;

  /**
   * Creates the object from these parts in the given order, and ends the upload.
   *
   * @throws InvalidPart and leaves the upload unchanged
   * @throws UploadMissing, although some S3 servers ignore the repetition of a completion
   */
  abstract completeUpload(key: string, uploadId: string, parts: readonly PartName[]): Promise<void>;

  /** Drops an upload with its parts, or all uploads for the key if no id is given. Ignores uploads that do not exist. */
  abstract abortUpload(key: string, uploadId?: string): Promise<void>;

  /** Returns a URL for `GET` (with ranges) that returns the object as an attachment. */
  abstract signDownload(grant: DownloadGrant): Promise<string>;
}
