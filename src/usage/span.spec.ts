import { describe, expect, it } from '@jest/globals';
import { divide } from './span.js';

const at = (text: string): number => Date.parse(text);
const nothing = [-Infinity, -Infinity];

describe('a span', () => {
  it('without bounds is all days', () => {
    expect(divide()).toEqual({
      days: [-Infinity, Infinity],
      before: nothing,
      after: [Infinity, Infinity],
    });
  });

  it.each([
    ['whole days', '2026-03-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z', '2026-03-01', '2026-03-02'],
    ['days and more', '2026-03-01T12:00:00.000Z', '2026-03-04T11:59:59.999Z', '2026-03-02', '2026-03-04'],
    ['days of which parts are taken away', '2026-03-01T11:59:59.999Z', '2026-03-03T12:00Z', '2026-03-01', '2026-03-04'],
  ])('of %s has the days between the midnights next to its ends', (_, since, until, firstDay, lastDay) => {
    expect(divide(new Date(since), new Date(until))).toEqual({
      days: [at(firstDay), at(lastDay)],
      before: [at(since), at(firstDay)],
      after: [at(lastDay), at(until)],
    });
  });

  it.each([
    ['inside a day', '2026-03-01T10:00:00.000Z', '2026-03-01T11:00:00.000Z'],
    ['around midnight', '2026-03-01T23:59:59.999Z', '2026-03-02T00:00:00.001Z'],
    ['of nearly a day', '2026-03-01T12:00:00.000Z', '2026-03-02T11:59:59.999Z'],
  ])('%s has no day', (_, since, until) => {
    expect(divide(new Date(since), new Date(until))).toEqual({
      days: nothing,
      before: [at(since), at(until)],
      after: nothing,
    });
  });

  it('that ends before it begins is nothing', () => {
    const [since, until] = [new Date('2026-03-05T10:00:00.000Z'), new Date('2026-03-01T11:00:00.000Z')];
    expect(divide(since, until)).toEqual({ days: nothing, before: nothing, after: nothing });
  });
});
