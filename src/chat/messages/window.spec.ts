import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { windowOf } from './window.js';

describe('windowOf', () => {
  it.each([
    [10, 3, 0, { first: 8, last: 10 }],
    [10, 3, 2, { first: 6, last: 8 }],
    [10, 20, 0, { first: 1, last: 10 }],
    [10, 3, 9, { first: 1, last: 1 }],
    [10, 1000, 9, { first: 1, last: 1 }],
  ])('of %i messages, limit %i, offset %i', (total, limit, offset, range) => {
    expect(windowOf(total, { limit, offset })).toEqual(range);
  });

  it.each([
    [0, 200, 0],
    [10, 3, 10],
    [10, 3, Number.MAX_SAFE_INTEGER],
  ])('is empty beyond the beginning: %i messages, limit %i, offset %i', (total, limit, offset) => {
    const { first, last } = windowOf(total, { limit, offset });
    expect(first).toBeGreaterThan(last);
  });

  it('takes what skipping and taking from the newest end takes', () => {
    fc.assert(
      fc.property(fc.nat(60), fc.integer({ min: 1, max: 70 }), fc.nat(70), (total, limit, offset) => {
        const sequences = Array.from({ length: total }, (_, index) => index + 1);
        const { first, last } = windowOf(total, { limit, offset });
        const window = sequences.filter((sequence) => sequence >= first && sequence <= last);
        expect(window).toEqual(
          sequences
            .reverse()
            .slice(offset, offset + limit)
            .reverse(),
        );
      }),
    );
  });

  it('meets every message once when a client pages through history', () => {
    fc.assert(
      fc.property(fc.nat(60), fc.integer({ min: 1, max: 20 }), (total, limit) => {
        const seen: number[] = [];
        for (let offset = 0; offset < total; offset += limit) {
          const { first, last } = windowOf(total, { limit, offset });
          for (let sequence = last; sequence >= first; sequence -= 1) seen.push(sequence);
        }
        expect(seen).toEqual(Array.from({ length: total }, (_, index) => total - index));
      }),
    );
  });
});
