import { createHash, randomBytes } from 'node:crypto';
import type { ApiKey } from './api-key.entity.js';

const PREFIX_BYTES = 6;
const SECRET_BYTES = 32;
const START = 'pws_';
const FORM = /^pws_([0-9a-f]{12})_([0-9a-f]{64})$/;

/** What is stored of a key. */
export type StoredKey = Pick<ApiKey, 'prefix' | 'secret_hash'>;

/** A new key: `pws_<prefix>_<secret>`. */
export function makeKey(): StoredKey & { key: string } {
  const prefix = randomBytes(PREFIX_BYTES).toString('hex');
  const secret = randomBytes(SECRET_BYTES).toString('hex');
  return { key: `${START}${prefix}_${secret}`, prefix, secret_hash: hash(secret) };
}

/** Whether a bearer credential is meant to be an API key. */
export const isKey = (credential: string): boolean => credential.startsWith(START);

/** What is stored of a key if it is one of ours; null when it cannot be. */
export function parseKey(key: string): StoredKey | null {
  const [, prefix, secret] = FORM.exec(key) ?? [];
  return prefix === undefined || secret === undefined ? null : { prefix, secret_hash: hash(secret) };
}

/** A plain hash will do: nobody tries 2^256 secrets. */
const hash = (secret: string): Buffer => createHash('sha256').update(secret).digest();
