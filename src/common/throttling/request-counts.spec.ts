import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { MINUTE_MS } from './limits.js';
import { RequestCounts } from './request-counts.js';

describe('RequestCounts', () => {
  let now = 1_000;
  beforeEach(() => {
    jest.spyOn(performance, 'now').mockImplementation(() => now);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const hit = async (counts: RequestCounts, key = 'a', limit = 3) => await counts.increment(key, MINUTE_MS, limit);

  it('blocks requests above the limit until one minute after the first request', async () => {
    const counts = new RequestCounts();
    expect(await hit(counts)).toEqual({ totalHits: 1, timeToExpire: 60, isBlocked: false, timeToBlockExpire: 0 });
    now += 20_000;
    await hit(counts);
    expect(await hit(counts)).toMatchObject({ totalHits: 3, timeToExpire: 40, isBlocked: false });
    expect(await hit(counts)).toEqual({ totalHits: 3, timeToExpire: 40, isBlocked: true, timeToBlockExpire: 40 });
    expect(await hit(counts, 'b')).toMatchObject({ totalHits: 1, isBlocked: false });
    now += 40_001;
    expect(await hit(counts)).toEqual({ totalHits: 1, timeToExpire: 60, isBlocked: false, timeToBlockExpire: 0 });
  });

  it('evicts the least recently counted keys', async () => {
    const counts = new RequestCounts();
    await hit(counts, 'first');
    for (let key = 0; key < 50_000; key += 1) await hit(counts, String(key));
    expect(await hit(counts, 'first')).toMatchObject({ totalHits: 1 });
    expect(await hit(counts, '49999')).toMatchObject({ totalHits: 2 });
  });

  it('stays fast at a high limit', async () => {
    const counts = new RequestCounts();
    for (let hits = 1; hits <= 200_000; hits += 1) await counts.increment('a', MINUTE_MS, 1_000_000);
    expect(await counts.increment('a', MINUTE_MS, 1_000_000)).toMatchObject({ totalHits: 200_001, isBlocked: false });
  });
});
