import { describe, expect, it } from '@jest/globals';
import { readingsOf } from './entered-cells';

/** Returns each reading of a column of numbers. */
const readings = (...cells: string[]): (string | undefined)[][] =>
  readingsOf(
    cells.map((cell) => [cell]),
    1,
    true,
  ).flatMap((reading) => (reading === undefined ? [] : [reading.cells.map(([cell]) => cell)]));

describe('readingsOf', () => {
  it.each([
    ['0,12', '0.12'],
    ['-1,5', '-1.5'],
    ['1.234,56', '1234.56'],
    ['1,234.5', '1234.5'],
    ['1.234.567', '1234567'],
    ['1 234,5', '1234.5'],
    ['1\u202f234', '1234'],
    ["1'200.5", '1200.5'],
    ['1’200', '1200'],
    ['−3', '-3'],
    ['+3', '3'],
    ['7 %', '0.07'],
    ['12,5%', '0.125'],
    ['0.125', '0.125'],
    ['1e5', '1e5'],
    ['007', '007'],
    ['1.2.3', '1.2.3'],
    ['12:30', '12:30'],
    ['many', 'many'],
    ['', ''],
  ])('reads %j as %j', (entered, read) => {
    expect(readings(entered)).toEqual([[read]]);
  });

  it.each([
    [['1.200'], ['1.200'], ['1200']],
    [['1,200'], ['1200'], ['1.200']],
    [
      ['1.200', '3'],
      ['1.200', '3'],
      ['1200', '3'],
    ],
  ])('returns two readings of %j', (entered, point, comma) => {
    expect(readings(...entered)).toEqual([point, comma]);
  });

  it.each([
    [
      ['1.200', '0,5'],
      ['1200', '0.5'],
    ],
    [
      ['1.200', '1.2'],
      ['1.200', '1.2'],
    ],
    [
      ['1,200', '12.5'],
      ['1200', '12.5'],
    ],
    [
      ['1.200', 'many', '0,5'],
      ['1200', 'many', '0.5'],
    ],
  ])('reads all numbers of %j in the same notation', (entered, read) => {
    expect(readings(...entered)).toEqual([read]);
  });

  it('leaves names, and columns with other text, unchanged', () => {
    const cells = [
      ['1,5', 'v1', '1,5'],
      ['2,5', '1.200', '2,5'],
    ];
    expect(readingsOf(cells, 0, false)).toEqual([
      {
        cells: [
          ['1,5', 'v1', '1.5'],
          ['2,5', '1.200', '2.5'],
        ],
      },
    ]);
  });

  it('leaves numbers unchanged if no notation fits all of them', () => {
    expect(readings('1.234,5', '1,234.5')).toEqual([['1.234,5', '1,234.5']]);
  });

  it('names the first number that is unclear', () => {
    expect(
      readingsOf(
        [
          ['hours', '12'],
          ['cost', '1.200'],
        ],
        0,
        true,
      ).map((reading) => reading?.example),
    ).toEqual([
      { entered: '1.200', read: '1.2' },
      { entered: '1.200', read: '1200' },
    ]);
  });
});
