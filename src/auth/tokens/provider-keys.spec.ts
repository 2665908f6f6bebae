import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { decodeProtectedHeader, type FlattenedJWSInput, type JWTVerifyGetKey } from 'jose';
import { JWKSNoMatchingKey } from 'jose/errors';
import { OpenIdProvider } from '../../../test/support/openid-provider.js';
import { Unavailable } from '../../common/errors/errors.js';
import { providerKeys } from './provider-keys.js';

const [COOLDOWN_MS, REFRESH_MS] = [5_000, 10 * 60_000];

let provider: OpenIdProvider;
let keys: JWTVerifyGetKey;
let faults: unknown[];
/** Number of milliseconds by which the monotonic clock was advanced. */
let passed: number;

beforeEach(async () => {
  provider = await OpenIdProvider.start();
  await provider.addKey('first');
  await provider.addKey('unpublished', 'ES256', false);
  faults = [];
  keys = providerKeys(provider.jwksUrl, (fault) => faults.push(fault));
  passed = 0;
  const started = performance.now();
  jest.spyOn(performance, 'now').mockImplementation(() => started + passed);
});

afterEach(async () => {
  jest.restoreAllMocks();
  await provider.stop();
});

/** Returns the result of verifying a token with the key `kid`. */
async function outcome(kid: string): Promise<'known' | 'unknown' | 'unavailable'> {
  const token = await provider.sign(kid, {});
  try {
    await keys({ alg: 'ES256', ...decodeProtectedHeader(token) }, token as unknown as FlattenedJWSInput);
    return 'known';
  } catch (error) {
    if (error instanceof JWKSNoMatchingKey) return 'unknown';
    if (error instanceof Unavailable) return 'unavailable';
    throw error;
  }
}
const outcomes = async (kid: string, times: number): Promise<string[]> => [
  ...new Set(await Promise.all(Array.from({ length: times }, async () => await outcome(kid)))),
];

describe('providerKeys', () => {
  it('fetches keys once for concurrent tokens and again for an unknown key, but not for each token', async () => {
    expect(await outcomes('first', 10)).toEqual(['known']);
    expect(provider.asked).toBe(1);
    await provider.addKey('second');
    expect(await outcomes('second', 10)).toEqual(['unknown']);
    passed += COOLDOWN_MS - 1;
    expect(await outcome('second')).toBe('unknown');
    expect(provider.asked).toBe(1);
    passed += 1;
    expect(await outcomes('second', 10)).toEqual(['known']);
    expect(await outcomes('unpublished', 10)).toEqual(['unknown']);
    expect(provider.asked).toBe(2);
  });

  it('refreshes old keys, so that a withdrawn key becomes invalid', async () => {
    expect(await outcome('first')).toBe('known');
    provider.withdrawKey('first');
    passed += REFRESH_MS - 1;
    expect(await outcome('first')).toBe('known');
    expect(provider.asked).toBe(1);
    passed += 1;
    // The refresh runs in the background.
    expect(await outcome('first')).toBe('known');
    while ((await outcome('first')) === 'known');
    expect(provider.asked).toBe(2);
  });

  it.each(['fails', 'hangs'] as const)(
    'keeps using known keys while the provider %s, reports unknown keys as unavailable and pauses requests',
    async (mood) => {
      expect(await outcome('first')).toBe('known');
      await provider.addKey('second');
      provider.mood = mood;
      passed += COOLDOWN_MS;
      expect(await outcomes('second', 10)).toEqual(['unavailable']);
      expect(await outcomes('second', 10)).toEqual(['unavailable']);
      expect(await outcomes('first', 10)).toEqual(['known']);
      expect([provider.asked, faults.length]).toEqual([2, 1]);
      provider.mood = 'answers';
      passed += COOLDOWN_MS;
      expect(await outcome('second')).toBe('known');
    },
  );

  it('keeps fetching keys after the system clock is set back', async () => {
    expect(await outcome('first')).toBe('known');
    await provider.addKey('second');
    passed += COOLDOWN_MS;
    const yesterday = Date.now() - 24 * 60 * 60 * 1000;
    jest.spyOn(Date, 'now').mockReturnValue(yesterday);
    expect(await outcome('second')).toBe('known');
  });

  it('reports all keys as unavailable before the first successful fetch', async () => {
    provider.mood = 'fails';
    expect(await outcomes('first', 10)).toEqual(['unavailable']);
    expect([provider.asked, faults.length]).toEqual([1, 1]);
    provider.mood = 'answers';
    passed += COOLDOWN_MS;
    expect(await outcome('first')).toBe('known');
  });
});
