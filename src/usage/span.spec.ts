import { describe, expect, it } from '@jest/globals';
import { DAY_MS, divide, HALF_DAY_MS } from './span.js';

const at = (text: string): number => Date.parse(text);
const nothing = [-Infinity, -Infinity];

describe('divide', () => {
  it('returns an unbounded `whole` for a span without bounds', () => {
    expect(divide(HALF_DAY_MS)).toEqual({
      whole: [-Infinity, Infinity],
      before: nothing,
      after: [Infinity, Infinity],
    });
  });

  it.each([
    ['whole days', '2026-03-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z', '2026-03-01', '2026-03-02'],
    ['half a day', '2026-03-01T00:00:00.000Z', '2026-03-01T12:00:00.000Z', '2026-03-01', '2026-03-01T12:00Z'],
    [
      'five half days and a remainder',
      '2026-03-01T06:00:00.000Z',
      '2026-03-04T05:59:59.999Z',
      '2026-03-01T12:00Z',
      '2026-03-04',
    ],
    [
      'six half days with a part missing at each end',
      '2026-03-01T05:59:59.999Z',
      '2026-03-03T18:00Z',
      '2026-03-01',
      '2026-03-04',
    ],
  ])('rounds a span of %s to the nearest midnights or noons', (_, since, until, first, last) => {
    expect(divide(HALF_DAY_MS, new Date(since), new Date(until))).toEqual({
      whole: [at(first), at(last)],
      before: [at(since), at(first)],
      after: [at(last), at(until)],
    });
  });

  it.each([
    ['inside a half day', '2026-03-01T10:00:00.000Z', '2026-03-01T11:00:00.000Z'],
    ['around noon', '2026-03-01T11:59:59.999Z', '2026-03-01T12:00:00.001Z'],
    ['around midnight', '2026-03-01T23:59:59.999Z', '2026-03-02T00:00:00.001Z'],
    ['of almost half a day', '2026-03-01T06:00:00.000Z', '2026-03-01T17:59:59.999Z'],
  ])('does not find a complete half day in a span %s', (_, since, until) => {
    expect(divide(HALF_DAY_MS, new Date(since), new Date(until))).toEqual({
      whole: nothing,
      before: [at(since), at(until)],
      after: nothing,
    });
  });

  it('returns empty spans for a span that ends before it begins', () => {
    const [since, until] = [new Date('2026-03-05T10:00:00.000Z'), new Date('2026-03-01T11:00:00.000Z')];
    expect(divide(HALF_DAY_MS, since, until)).toEqual({ whole: nothing, before: nothing, after: nothing });
  });

  it('rounds a span of several days to the nearest midnights', () => {
    expect(divide(DAY_MS, new Date('2026-03-01T11:59:59.999Z'), new Date('2026-03-03T12:00Z'))).toEqual({
      whole: [at('2026-03-01'), at('2026-03-04')],
      before: [at('2026-03-01T11:59:59.999Z'), at('2026-03-01')],
      after: [at('2026-03-04'), at('2026-03-03T12:00Z')],
    });
  });
});
