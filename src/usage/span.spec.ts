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

  it('that begins and ends inside days has two edges', () => {
    const [since, until] = ['2026-03-01T10:00:00.001Z', '2026-03-04T00:00:00.001Z'];
    expect(divide(new Date(since), new Date(until))).toEqual({
      days: [at('2026-03-02T00:00:00Z'), at('2026-03-04T00:00:00Z')],
      before: [at(since), at('2026-03-02T00:00:00Z')],
      after: [at('2026-03-04T00:00:00Z'), at(until)],
    });
  });

  it('of whole days has empty edges', () => {
    const [since, until] = [at('2026-03-01T00:00:00Z'), at('2026-03-02T00:00:00Z')];
    expect(divide(new Date(since), new Date(until))).toEqual({
      days: [since, until],
      before: [since, since],
      after: [until, until],
    });
  });

  it.each([
    ['inside a day', '2026-03-01T10:00:00.000Z', '2026-03-01T11:00:00.000Z'],
    ['around midnight', '2026-03-01T23:59:59.999Z', '2026-03-02T00:00:00.001Z'],
    ['that ends before it begins', '2026-03-05T10:00:00.000Z', '2026-03-01T11:00:00.000Z'],
  ])('%s has no day', (_, since, until) => {
    expect(divide(new Date(since), new Date(until))).toEqual({
      days: nothing,
      before: [at(since), at(until)],
      after: nothing,
    });
  });
});
