import { describe, expect, it } from '@jest/globals';
import { isNumber, readNumber } from './entered-numbers';

describe('readNumber', () => {
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
    [',5', undefined, 0.5],
    ['1e5', 1e5, 1e5],
    ['1e+21', 1e21, 1e21],
    [' 12 ', 12, 12],
    ['007', undefined, undefined],
    ['0x10', undefined, undefined],
    ['e5', undefined, undefined],
    ['1e999', undefined, undefined],
    ['340123456789012345', undefined, undefined],
    ['1.2.3', undefined, undefined],
    ['12,34,567', undefined, undefined],
    ['12:30', undefined, undefined],
    ['many', undefined, undefined],
    ['%', undefined, undefined],
    ['', undefined, undefined],
  ])('reads %j as %s with a decimal point and as %s with a decimal comma', (cell, point, comma) => {
    expect(readNumber(cell)).toEqual({ '.': point, ',': comma });
    expect(isNumber(readNumber(cell))).toBe(point !== undefined || comma !== undefined);
  });
});
