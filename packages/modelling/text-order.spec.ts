import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { compareTexts, orderedText } from './text-order.js';

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
  ])('puts %s before %s', (one, other) => {
    expect(compareTexts(orderedText(one), orderedText(other))).toBeLessThan(0);
    expect(compareTexts(orderedText(other), orderedText(one))).toBeGreaterThan(0);
    expect(compareTexts(orderedText(one), orderedText(one))).toBe(0);
  });

  it('sorts texts in the same way from any initial order', () => {
    const texts = fc.array(fc.string({ unit: fc.constantFrom('0', '1', '9', '.', '-', ' ', 'a', 'b'), maxLength: 5 }));
    const sorted = (given: readonly string[]): string[] =>
      given.toSorted((one, other) => compareTexts(orderedText(one), orderedText(other)));
    fc.assert(fc.property(texts, (given) => expect(sorted(given.toReversed())).toEqual(sorted(given))));
  });
});
