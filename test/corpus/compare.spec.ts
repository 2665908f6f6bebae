import { describe, expect, it } from '@jest/globals';
import { difference, sameValue } from './compare.js';

const german = { decimal: ',', thousands: '.' };

describe('sameValue', () => {
  it.each([
    [null, '', null],
    [null, NaN, null],
    ['a', ' a ', null],
    [1, '1.0', null],
    [0.1 + 0.2, 0.3, null],
    [true, 'TRUE', null],
    [1234.5, '1.234,5', german],
    [0.125, '12,5 %', german],
    ['12345678901234567', '12345678901234567', null],
    ['1125899906842624', 1125899906842624, null],
    ['19999999991653392000', 19999999991653392000, null],
    ['2025-03-14', '2025-03-14T00:00:00', null],
    ['2025-03-14', '14.03.2025', null],
    ['2025-03-14', '14-Mar-25', null],
    ['2025-03-14', '20250314', null],
    ['2025-03-14T08:30:00', '2025-03-14 08:30:00.000', null],
    ['2025-03-14T23:30:00', '03/14/2025 11:30 PM', null],
    ['2025-03-14T00:12:05', '03/14/2025 12:12:05 am', null],
    ['2025-03-14T08:30:00.5', '2025-03-14 10:30:00.500+02', null],
    ['2025-03-14', '2025-03-13T23:00:00-01:00', null],
    ['04:14:00', '4:14', null],
    [null, '#N/A', null],
    ['[1,2]', [1, 2], null],
    ['a\nb', 'a\r\nb', null],
  ])('treats %j and %j as equal', (ours, theirs, dialect) => {
    expect(sameValue(ours, theirs, dialect)).toBe(true);
  });

  it.each([
    [null, 'n/a', null],
    [0, '', null],
    ['A', 'a', null],
    [1, 2, null],
    [1.5, '1,5', null],
    [12.5, '12,5 %', german],
    ['12345678901234567', '12345678901234568', null],
    ['1125899906842624', 1125899906842625, null],
    ['2025-03-14', '15.03.2025', null],
    ['1966-12-31', '1971-01-01T00:00:00', null],
    ['2025-03-14T08:30:00', '2025-03-14T08:31:00', null],
    ['2025-03-14T08:30:00', '14.03.2025 09:30', null],
    ['2025-03-14T11:30:00', '03/14/2025 11:30 PM', null],
    ['2025-03-14T08:30:00', '2025-03-14T08:30:00+02:00', null],
    [null, '#hashtag', null],
    ['[1,2]', [1, 3], null],
  ])('distinguishes %j from %j', (ours, theirs, dialect) => {
    expect(sameValue(ours, theirs, dialect)).toBe(false);
  });
});

describe('difference', () => {
  const ours = {
    columns: ['city', 'units'],
    rows: [
      ['Oslo', 1],
      ['Lyon', 2],
    ],
    total: 2,
    dialect: null,
  };
  const theirs = (...rows: unknown[][]) => ({ rows, width: rows[0]?.length ?? 0, total: rows.length });

  it('does not find a difference between equal tables, with or without a header row', () => {
    expect(difference(ours, theirs(['city', 'units'], ['Oslo', '1'], ['Lyon', 2]))).toBeUndefined();
    expect(difference(ours, theirs(['Oslo', '1'], ['Lyon', 2]))).toBeUndefined();
  });

  it('ignores the numbers that the service adds to empty and duplicate column names', () => {
    const numbered = { ...ours, columns: ['city', 'city_2', 'column_3'], rows: [['a', 'b', 'c']], total: 1 };
    expect(difference(numbered, theirs(['city', 'city', null], ['a', 'b', 'c']))).toBeUndefined();
  });

  it.each([
    [
      [
        ['city', 'units'],
        ['Oslo', 1],
      ],
      undefined,
    ],
    [[['Report'], ['city', 'units'], ['Oslo', 1], ['Lyon', 2]], '2 rows, other reader 4 with the header'],
    [[['Oslo', 1]], '2 rows, other reader 1 with the header'],
    [
      [
        ['city', 'sold'],
        ['Oslo', 1],
        ['Lyon', 2],
      ],
      'column 2 is called "units", other reader "sold"',
    ],
    [
      [
        ['city', 'units'],
        ['Oslo', 1],
        ['Lyon', 3],
      ],
      'row 2 of the data, column "units": 2, other reader 3',
    ],
    [
      [
        ['city', 'units', 'note'],
        ['Oslo', 1, 'x'],
        ['Lyon', 2, ''],
      ],
      'column 3 is called "", other reader "note"',
    ],
  ])('returns the first difference from %j', (rows, sentence) => {
    const expected = sentence ?? 'row 1 of the data, column "city": "Oslo", other reader "city"';
    expect(difference(ours, theirs(...rows))).toBe(expected);
  });
});
