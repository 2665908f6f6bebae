import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { compareTexts, firstFall, orderedText } from './text-order.js';

describe('compareTexts', () => {
  it.each([
    ['KW 9', 'KW 10'],
    ['w2', 'w11'],
    ['2025-W9', '2025-W10'],
    ['2024-W52', '2025-W1'],
    ['week 9 of 2025', 'week 10 of 2025'],
    ['week 52 of 2024', 'week 53 of 2024'],
    ['2.5 mm', '10 mm'],
    ['2.05 mm', '2.5 mm'],
    ['KW 09', 'KW 10'],
    ['KW 09', 'KW 9'],
    ['A10', 'B2'],
    ['KW 10', 'KX 9'],
    ['elm', 'oak'],
    ['Oak', 'elm'],
    ['', 'elm'],
    ['KW', 'KW 1'],
    ['KW 9', 'KW 10a'],
    ['KW 1a', 'KW 10'],
    ['9', 'x'],
  ])('sorts %s before %s', (one, other) => {
    expect(compareTexts(orderedText(one), orderedText(other))).toBeLessThan(0);
    expect(compareTexts(orderedText(other), orderedText(one))).toBeGreaterThan(0);
    expect(compareTexts(orderedText(one), orderedText(one))).toBe(0);
  });

  it('sorts strings in the same order regardless of their initial order', () => {
    const texts = fc.array(fc.string({ unit: fc.constantFrom('0', '1', '9', '.', '-', ' ', 'a', 'b'), maxLength: 5 }));
    const sorted = (given: readonly string[]): string[] =>
      given.toSorted((one, other) => compareTexts(orderedText(one), orderedText(other)));
    fc.assert(fc.property(texts, (given) => expect(sorted(given.toReversed())).toEqual(sorted(given))));
  });
});

describe('firstFall', () => {
  it.each<[string[], [string, string]]>([
    [
      ['2', '3', '4', '1'],
      ['4', '1'],
    ],
    [
      ['1', '10', '2'],
      ['10', '2'],
    ],
    [
      ['0', '-1', '-2'],
      ['0', '-1'],
    ],
    [
      ['W1', 'W10', 'W2'],
      ['W10', 'W2'],
    ],
    [
      ['2025-02-03', '2025-01-27', '2025-02-10'],
      ['2025-02-03', '2025-01-27'],
    ],
    [
      ['31.12.2025', '01.01.2025'],
      ['31.12.2025', '01.01.2025'],
    ],
    [
      ['2025-W2', '2024-W52'],
      ['2025-W2', '2024-W52'],
    ],
    [
      ['10:00:00', '08:30:00'],
      ['10:00:00', '08:30:00'],
    ],
  ])('returns the first descending pair in %j', (texts, fall) => {
    expect(firstFall(texts)).toEqual(fall);
    expect(firstFall(texts)).toEqual(fall);
  });

  it.each([
    [['1', '2', '10']],
    [['W1', 'W2', 'W10']],
    [['2025-01-27', '2025-02-03']],
    [['31.12.2025', '01.01.2026']],
    [['oak', 'elm']],
    [['early 1', 'late 2', 'early 3']],
    [['2 of 2025', '1 of 2026']],
    [['01/27/2025', '02/03/2025']],
    [['3', 'W1']],
    [[]],
  ])('returns undefined for %j', (texts) => {
    expect(firstFall(texts)).toBeUndefined();
  });
});
