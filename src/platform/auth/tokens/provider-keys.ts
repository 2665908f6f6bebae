import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose';
import { JOSENotSupported, JWKSMultipleMatchingKeys, JWKSNoMatchingKey } from 'jose/errors';
import { Unavailable } from '../../errors/errors.js';

/** The provider is waited for so long. */
const TIMEOUT_MS = 3_000;
/** After keys were read, or could not be read, the provider is left alone for so long, whatever tokens say. */
const COOLDOWN_MS = 5_000;
/** Keys are read again after so long, so that one which the provider has withdrawn is not trusted for ever. */
const REFRESH_MS = 10 * 60_000;

/** What a token does wrong; everything else is the provider's fault. */
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
  let failedAt = -Infinity;
  const isLeftAlone = (): boolean => Date.now() < failedAt + COOLDOWN_MS;
  const fail = (fault: unknown): void => {
    if (isLeftAlone()) return;
    failedAt = Date.now();
    onFault(fault);
  };
  const keys = createRemoteJWKSet(new URL(url), {
    timeoutDuration: TIMEOUT_MS,
    cooldownDuration: COOLDOWN_MS,
    cacheMaxAge: Infinity,
    [customFetch]: async (href, options) => {
      if (isLeftAlone()) throw new Error('The identity provider failed a moment ago');
      askedAt = Date.now();
      return await fetch(href, options);
    },
  });
  return async (header, token) => {
    if (keys.jwks() !== undefined && Date.now() > askedAt + REFRESH_MS) keys.reload().catch(fail);
    try {
      return await keys(header, token);
    } catch (error) {
      if (TOKEN_FAULTS.some((fault) => error instanceof fault)) throw error;
      fail(error);
      throw new Unavailable('The keys of the identity provider are out of reach');
    }
  };
}
