import { createRemoteJWKSet, type JWTVerifyGetKey } from 'jose';
import { JOSENotSupported, JWKSMultipleMatchingKeys, JWKSNoMatchingKey } from 'jose/errors';
import { Unavailable } from '../../common/errors/errors.js';

/** Longest wait for the provider. */
const TIMEOUT_MS = 3_000;
/** After keys were read, or could not be read, the provider is left alone for so long, whatever tokens say. */
const COOLDOWN_MS = 5_000;
/** Keys are read again after so long, so that one which the provider has withdrawn is not trusted for ever. */
const REFRESH_MS = 10 * 60_000;

/** Errors caused by the token; all others are the provider's fault. */
const TOKEN_FAULTS = [JWKSNoMatchingKey, JWKSMultipleMatchingKeys, JOSENotSupported];

/**
 * The public keys of an OpenID provider: read when the first token comes, again when a token names an unknown key, and
 * in the background when they are old. While the provider is out of reach the keys that are known go on working.
 *
 * @param onFault hears why keys could not be read.
 * @returns what finds the key of a token. It throws Unavailable when the key is not known and cannot be asked for now.
 */
export function providerKeys(url: string, onFault: (fault: unknown) => void): JWTVerifyGetKey {
  let askedAt = -Infinity;
  let readAt = -Infinity;
  let failedAt = -Infinity;
  // The library goes by the time of day, which may be set back: when to read is decided here, by the other clock.
  const keys = createRemoteJWKSet(new URL(url), {
    timeoutDuration: TIMEOUT_MS,
    cooldownDuration: Infinity,
    cacheMaxAge: Infinity,
  });
  const isWithin = (ms: number, moment: number): boolean => performance.now() < moment + ms;
  /** What a fault of the provider is answered with; told once, not by everybody who waited. */
  const failure = (fault: unknown): Unavailable => {
    if (!isWithin(COOLDOWN_MS, failedAt)) {
      failedAt = performance.now();
      onFault(fault);
    }
    return new Unavailable('identity_provider_unavailable', 'The keys of the identity provider are out of reach');
  };
  const read = async (): Promise<void> => {
    if (isWithin(COOLDOWN_MS, failedAt)) throw failure(undefined);
    askedAt = performance.now();
    try {
      await keys.reload();
    } catch (fault) {
      throw failure(fault);
    }
    readAt = performance.now();
  };
  const find: JWTVerifyGetKey = async (header, token) => {
    try {
      return await keys(header, token);
    } catch (error) {
      if (TOKEN_FAULTS.some((fault) => error instanceof fault)) throw error;
      throw failure(error);
    }
  };
  return async (header, token) => {
    if (keys.jwks() === undefined) await read();
    // In the background; the fault was already reported.
    else if (!isWithin(REFRESH_MS, askedAt)) read().catch(() => undefined);
    try {
      return await find(header, token);
    } catch (error) {
      if (!(error instanceof JWKSNoMatchingKey) || isWithin(COOLDOWN_MS, readAt)) throw error;
      await read();
      return await find(header, token);
    }
  };
}
