import type { Readable } from 'node:stream';

/** Parts of an upload are numbered from 1 to this. */
export const MAX_PARTS = 10_000;

/** Least size of every part of an upload but the last, in bytes. */
export const MIN_PART_SIZE = 5 * 1024 ** 2;

/** Bytes `start` to `end` of an object, both counted in and from 0. */
export interface ByteRange {
  start: number;
  end: number;
}

/** A part of an upload as its sender names it. */
export interface PartName {
  part_number: number;
  /** Without quotes. */
  etag: string;
}

/** A part that the store holds; `size` in bytes. */
export interface StoredPart extends PartName {
  size: number;
}

/** An object in a listing; `size` in bytes. */
export interface StoredObject {
  key: string;
  size: number;
}

/** What a signed URL for sending one part allows. */
export interface PartGrant {
  key: string;
  uploadId: string;
  partNumber: number;
  /** Most bytes that the part may have; S3 cannot enforce it, so the size is checked again on completion. */
  maxBytes: number;
  expiresAt: Date;
  /** Where clients reach this service; stores with an address of their own do not use it. */
  baseUrl: string;
}

/** What a signed URL for reading an object allows. */
export interface DownloadGrant {
  key: string;
  fileName: string;
  contentType: string;
  /** What the URL depends on, in the caller's format; stores with their own address cannot check it. */
  scope?: string;
  expiresAt: Date;
  baseUrl: string;
}

/** There is no object under the key. */
export class ObjectMissing extends Error {}

/** The upload does not exist (any more): never started, completed, or aborted. */
export class UploadMissing extends Error {}

/** A named part was not received, or not with that etag, or is too small to be before another one. */
export class InvalidPart extends Error {}

const KEY = /^[a-z][a-z0-9-]*\/[a-z0-9-]{2,}$/;

export const isKey = (text: string): boolean => KEY.test(text);

/** Keys become paths and parts of URLs, so stores check them although this service alone makes them. */
export function assertKey(key: string): void {
  if (!isKey(key)) throw new Error(`${JSON.stringify(key)} cannot be a key`);
}

/**
 * Where the bytes of files are.
 *
 * Objects are immutable: whoever writes takes a new key, and never uses it again. Every method that resolves has made its effect
 * durable. A store that is out of reach rejects with `Unavailable`, a full one with `InsufficientStorage`.
 */
export abstract class ObjectStore {
  /** Resolves when the store answers. @throws Unavailable, or InsufficientStorage when it takes nothing more */
  abstract check(): Promise<void>;

  /** Writes an object and resolves with its size in bytes. */
  abstract put(key: string, body: Buffer | Readable): Promise<number>;

  /** The bytes, or those of a range that exist. @throws ObjectMissing before the stream is handed out */
  abstract get(key: string, range?: ByteRange): Promise<Readable>;

  /** Size of an object in bytes; undefined when there is none. */
  abstract size(key: string): Promise<number | undefined>;

  /** Deletes objects; keys without an object are fine. */
  abstract delete(keys: readonly string[]): Promise<void>;

  /** All objects whose keys begin with `<kind>/`, in any order. */
  abstract list(kind: string): AsyncIterable<StoredObject>;

  /** Begins an object that is sent in parts and resolves with the upload's id. */
  abstract startUpload(key: string): Promise<string>;

  /** A URL for one `PUT` of the part, answered with header `ETag`. */
  abstract signPart(grant: PartGrant): Promise<string>;

  /** Received parts by number, the last received of each. @throws UploadMissing */
  abstract listParts(key: string, uploadId: string): Promise<StoredPart[]>;

  /**
   * Makes the object of these parts, in their order. Afterwards the upload is gone.
   *
   * @throws InvalidPart and leaves the upload as it was
   * @throws UploadMissing
   */
  abstract completeUpload(key: string, uploadId: string, parts: readonly PartName[]): Promise<void>;

  /** Drops an upload with its parts, without an id every one of the key; one that does not exist is fine. */
  abstract abortUpload(key: string, uploadId?: string): Promise<void>;

  /** A URL for `GET` (with ranges) that answers the object as an attachment. */
  abstract signDownload(grant: DownloadGrant): Promise<string>;
}
