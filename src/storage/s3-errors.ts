import { InsufficientStorage, Unavailable } from '../common/errors/errors.js';
import { InvalidPart, ObjectMissing, UploadMissing } from './object-store.js';
import type { S3FaultLog } from './s3-fault-log.js';

/** Thrown if the range does not contain any byte of the object. */
export class NoSuchRange extends Error {}

/** Translates a client error to an error of {@link ObjectStore}. Unexpected errors are logged. */
export function portError(key: string, error: unknown, log: S3FaultLog): Error {
  const code = codeOf(error);
  switch (code) {
    case 'NoSuchKey':
    case 'NotFound':
      return new ObjectMissing(key);
    case 'NoSuchUpload':
      return new UploadMissing(key);
    case 'InvalidPart':
    case 'InvalidPartOrder':
    case 'EntityTooSmall':
      return new InvalidPart(key);
    case 'InvalidRange':
      return new NoSuchRange(key);
    case 'XMinioStorageFull':
    case 'InsufficientStorage':
    case 'QuotaExceeded':
      return new InsufficientStorage('store_full', 'The file store is full');
    default:
      if (error instanceof Unavailable) return error;
      log.logFault(code, messageOf(error));
      return new Unavailable('unavailable', 'The file store is unavailable; try again later');
  }
}

/**
 * Error thrown by the S3 client. S3 errors have their original `Code` or a derived `code`. All other errors come from the
 * network.
 */
interface StoreError {
  code?: unknown;
  Code?: unknown;
  message?: unknown;
  Message?: unknown;
}

/** Returns the code of a client error, or an empty string if the error has no code. */
export function codeOf(error: unknown): string {
  const { code, Code } = error as StoreError;
  const value = code ?? Code;
  return typeof value === 'string' ? value : '';
}

function messageOf(error: unknown): string {
  const { message, Message } = error as StoreError;
  const value = message ?? Message;
  return typeof value === 'string' ? value : '';
}

/** Converts an error entry in the response to a multi-object deletion. */
export function errorOf(refusal: object): Error {
  const { Error: inner = refusal } = refusal as { Error?: object };
  return Object.assign(new Error(messageOf(inner)), { code: codeOf(inner) });
}
