import { describe, expect, it } from '@jest/globals';
import { enteredNumber, isEnteredNumber, readColumn } from './entered-numbers';

describe('enteredNumber', () => {
  it.each<[string, number | undefined, number | undefined]>([
    ['0,12', undefined, 0.12],
    ['-1,5', undefined, -1.5],
    ['1.234,56', undefined, 1234.56],
    ['1,234.5', 1234.5, undefined],
    ['1.234.567', undefined, 1234567],
    ['1 234,5', undefined, 1234.5],
    ['1\u202f234', 1234, 1234],
    ["1'200.5", 1200.5, undefined],
    ['1’200', 1200, 1200],
    ['−3', -3, -3],
    ['+3', 3, 3],
    ['7 %', 0.07, 0.07],
    ['12,5%', undefined, 0.125],
    ['0.125', 0.125, undefined],
    ['1.200', 1.2, 1200],
    ['1,200', 1200, 1.2],
    ['.5', 0.5, undefined],
    ['1e5', 1e5, 1e5],
    ['007', 7, 7],
    ['1.2.3', undefined, undefined],
    ['12,34,567', undefined, undefined],
    ['12:30', undefined, undefined],
    ['many', undefined, undefined],
    ['', undefined, undefined],
  ])('reads %j as %d with a decimal point and as %d with a decimal comma', (cell, point, comma) => {
    expect([enteredNumber(cell, '.'), enteredNumber(cell, ',')]).toEqual([point, comma]);
    expect(isEnteredNumber(cell)).toBe(point !== undefined || comma !== undefined);
  });
});

describe('readColumn', () => {
  it.each([
    [['1.200', '3'], ['.', ','], '1.200'],
    [['1.200', ' 0,5'], [','], undefined],
    [['1.200', '1.2'], ['.'], undefined],
    [['1,200', '1e5', '.5'], ['.'], undefined],
    [['3', '', '1 200'], ['.', ','], undefined],
    [['1.234,5', '1,234.5'], [], undefined],
    [[], ['.', ','], undefined],
  ])('finds the decimal signs that fit all numbers of %j', (cells, decimals, unclear) => {
    expect(readColumn(cells, false)).toEqual({ isNumeric: true, decimals, unclear });
  });

  it('returns text for a column with other text unless it must be numeric', () => {
    expect(readColumn(['Cost', '1.200'], false)).toEqual({ isNumeric: false, decimals: [], unclear: undefined });
    expect(readColumn(['many', '1.200'], true)).toEqual({ isNumeric: true, decimals: ['.', ','], unclear: '1.200' });
  });
});
