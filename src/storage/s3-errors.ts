import { InsufficientStorage, Unavailable } from '../common/errors/errors.js';
import { InvalidPart, ObjectMissing, UploadMissing } from './object-store.js';
import type { S3FaultLog } from './s3-fault-log.js';

/** The object has no byte of the range. */
export class NoSuchRange extends Error {}

/** The port's error for an error of the client; unexpected ones are logged. */
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
      return new InsufficientStorage('store_full', 'The file store is full');
    default:
      if (error instanceof Unavailable) return error;
      log.failed(code, messageOf(error));
      return new Unavailable('unavailable', 'The file store is out of reach; try again later');
  }
}

/** Errors of the client are S3's as it answered them (`Code`), or made of them (`code`), or the network's. */
interface StoreError {
  code?: unknown;
  Code?: unknown;
  message?: unknown;
  Message?: unknown;
}

/** The code of an error of the client; empty when it has none. */
export function codeOf(error: unknown): string {
  const { code, Code } = error as StoreError;
  const given = code ?? Code;
  return typeof given === 'string' ? given : '';
}

function messageOf(error: unknown): string {
  const { message, Message } = error as StoreError;
  const given = message ?? Message;
  return typeof given === 'string' ? given : '';
}

/** One of the refusals that deleting several objects answers. */
export function errorOf(refusal: object): Error {
  const { Error: inner = refusal } = refusal as { Error?: object };
  return Object.assign(new Error(messageOf(inner)), { code: codeOf(inner) });
}
