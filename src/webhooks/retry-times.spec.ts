import { expect, it } from '@jest/globals';
import { nextAttempt } from './retry-times.js';

it('retries after 5 s, 30 s, 2 min and 10 min, and then every hour for a total of 24 hours', () => {
  const first = new Date('2026-05-04T00:00:00Z');
  const seconds: number[] = [];
  let now = first;
  for (let attempts = 1; ; attempts += 1) {
    const next = nextAttempt(attempts, first, now);
    if (next === null) break;
    seconds.push((next.getTime() - now.getTime()) / 1000);
    now = next;
  }
  expect(seconds.slice(0, 6)).toEqual([5, 30, 120, 600, 3600, 3600]);
  expect(new Set(seconds.slice(4))).toEqual(new Set([3600]));
  const hours = (now.getTime() - first.getTime()) / 3_600_000;
  expect(hours).toBeLessThanOrEqual(24);
  expect(hours).toBeGreaterThan(23);
});
