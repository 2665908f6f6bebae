import { createRemoteJWKSet, type JWTVerifyGetKey } from 'jose';
import { JOSENotSupported, JWKSMultipleMatchingKeys, JWKSNoMatchingKey } from 'jose/errors';
import { Unavailable } from '../../common/errors/errors.js';

/** Maximum wait for the provider. */
const TIMEOUT_MS = 3_000;
/** Minimum time between two reads of the keys, successful or not, regardless of the tokens received. */
const COOLDOWN_MS = 5_000;
/** Time after which keys are read again, so that a key withdrawn by the provider does not stay trusted. */
const REFRESH_MS = 10 * 60_000;

/** Errors caused by the token. All other errors are caused by the provider. */
const TOKEN_FAULTS = [JWKSNoMatchingKey, JWKSMultipleMatchingKeys, JOSENotSupported];

/**
 * Returns a function that finds the public key for a token from an OpenID provider. Keys are read for the first token, again
 * for an unknown key, and in the background when they are old. Known keys stay valid while the provider is unavailable. The
 * function throws Unavailable for an unknown key that cannot be requested now.
 *
 * @param onFault receives the reason why keys could not be read
 */
export function providerKeys(url: string, onFault: (fault: unknown) => void): JWTVerifyGetKey {
  let askedAt = -Infinity;
  let readAt = -Infinity;
  let failedAt = -Infinity;
  // The library uses the time of day, which may be set back. Reads are therefore scheduled here with the monotonic clock.
  const keys = createRemoteJWKSet(new URL(url), {
    timeoutDuration: TIMEOUT_MS,
    cooldownDuration: Infinity,
    cacheMaxAge: Infinity,
  });
  const isWithin = (ms: number, moment: number): boolean => performance.now() < moment + ms;
  /** Returns the error for a provider fault. Reports the fault once, not for each waiting token. */
  const failure = (fault: unknown): Unavailable => {
    if (!isWithin(COOLDOWN_MS, failedAt)) {
      failedAt = performance.now();
      onFault(fault);
    }
    return new Unavailable(
      'identity_provider_unavailable',
      'The keys of the identity provider cannot be fetched; try again later',
    );
  };
  const reload = async (): Promise<void> => {
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
    if (keys.jwks() === undefined) await reload();
    // Runs in the background. The fault was already reported.
    else if (!isWithin(REFRESH_MS, askedAt)) reload().catch(() => undefined);
    try {
      return await find(header, token);
    } catch (error) {
      if (!(error instanceof JWKSNoMatchingKey) || isWithin(COOLDOWN_MS, readAt)) throw error;
      await reload();
      return await find(header, token);
    }
  };
}
