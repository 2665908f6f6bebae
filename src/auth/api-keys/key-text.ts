import { createHash, randomBytes } from 'node:crypto';
import type { ApiKey } from './api-key.entity.js';

const PREFIX_BYTES = 6;
const SECRET_BYTES = 32;
const START = 'pws_';
const FORM = /^pws_([0-9a-f]{12})_([0-9a-f]{64})$/;

/** Stored fields of a key. */
export type StoredKey = Pick<ApiKey, 'prefix' | 'secret_hash'>;

/** Generates a new key: `pws_<prefix>_<secret>`. */
export function makeKey(): StoredKey & { key: string } {
  const prefix = randomBytes(PREFIX_BYTES).toString('hex');
  const secret = randomBytes(SECRET_BYTES).toString('hex');
  return { key: `${START}${prefix}_${secret}`, prefix, secret_hash: hash(secret) };
}

/** Whether a bearer credential looks like an API key. */
export const isKey = (credential: string): boolean => credential.startsWith(START);

/** Returns the stored fields of a key, or null if it is malformed. */
export function parseKey(key: string): StoredKey | null {
  const [, prefix, secret] = FORM.exec(key) ?? [];
  return prefix === undefined || secret === undefined ? null : { prefix, secret_hash: hash(secret) };
}

/** A plain hash is sufficient, because 2^256 secrets cannot be guessed. */
const hash = (secret: string): Buffer => createHash('sha256').update(secret).digest();
