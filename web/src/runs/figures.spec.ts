import { describe, expect, it } from '@jest/globals';
import { differenceOf, formatDifference, formatFigure, roundFigure } from './figures';

describe('number formatting', () => {
  it.each([
    [-8.5265e-14, 0],
    [91.99999999999991, 92],
    [0.1 + 0.2, 0.3],
    [0.00001234, 0.00001234],
    [123456.789, 123456.789],
    [123456789012345, 123456789012345],
    [12345678901234.002, 12345678901234],
  ])('rounds %d to %d', (value, to) => {
    expect(roundFigure(value)).toBe(to);
  });

  it.each([
    [3.5527e-14, '0'],
    [-3.5527e-14, '0'],
    [91.99999999999991, '92'],
    [null, '–'],
  ])('formats %d as %s', (value, text) => {
    expect(formatFigure(value)).toBe(text);
    expect(formatDifference(value)).toBe(text === '92' ? '+92' : text);
  });

  it.each([
    [92, 91.99999999999997, 0],
    [1e9 + 0.1, 1e9, 0],
    [92.5, 92, 0.5],
    [0.3, 0.1, 0.2],
    [0, 5, -5],
  ])('calculates the difference between %d and %d as %d', (value, of, change) => {
    expect(differenceOf(value, of)).toBe(change);
  });
});
