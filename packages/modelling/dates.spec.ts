import { describe, expect, it } from '@jest/globals';
import { type DateReading, isoDate, literalOf } from './dates.js';

describe('isoDate', () => {
  it.each([
    ['02.03.2025', '2025-03-02'],
    ['2.3.2025', '2025-03-02'],
    ['02/03/2025', '2025-03-02'],
    ['03/25/2025', '2025-03-25'],
    ['25-03-2025', '2025-03-25'],
    ['02.03.25', '2025-03-02'],
    ['02.03.99', '1999-03-02'],
    ['2025/3/2', '2025-03-02'],
    ['2025-03-02', '2025-03-02'],
    ['2 Mar 2025', '2025-03-02'],
    ['02-mar-2025', '2025-03-02'],
    ['29.02.2024', '2024-02-29'],
  ])('reads %s', (text, date) => {
    expect(isoDate(text)).toBe(date);
  });

  it.each([
    '29.02.2025',
    '03.25.2025',
    '31.04.2025',
    '1.2',
    '1.2.3.4',
    '2 Foo 2025',
    '00.01.2025',
    'chair',
    '20250302',
  ])('does not parse %s as a date', (text) => {
    expect(isoDate(text)).toBeUndefined();
  });
});

describe('literalOf', () => {
  const date: DateReading = { type: 'date' };
  const dayFirst: DateReading = { type: 'date', order: 'day_first' };
  const monthFirst: DateReading = { type: 'date', order: 'month_first' };
  const mixed: DateReading = { type: 'date', order: 'mixed' };
  const timestamp: DateReading = { type: 'timestamp', order: 'day_first' };
  const time: DateReading = { type: 'time' };

  it.each<[string, DateReading, string | undefined]>([
    ['03/04/2025', monthFirst, '2025-03-04'],
    ['03-04-2025', monthFirst, '2025-03-04'],
    ['03/04/25', monthFirst, '2025-03-04'],
    ['03/04/2025', dayFirst, '2025-04-03'],
    ['03/04/2025', date, '2025-04-03'],
    ['03/04/2025', mixed, undefined],
    ['03/25/2025', mixed, '2025-03-25'],
    ['04/04/2025', mixed, '2025-04-04'],
    ['25/03/2025', monthFirst, undefined],
    ['03/25/2025', dayFirst, undefined],
    ['25.03.2025', monthFirst, '2025-03-25'],
    ['20250301', monthFirst, '2025-03-01'],
    ['20251301', monthFirst, undefined],
    ['1 March 2025', monthFirst, '2025-03-01'],
    ['1. March 2025', date, '2025-03-01'],
    ['March 1, 2025', dayFirst, '2025-03-01'],
    ['Sept 1, 2025', date, '2025-09-01'],
    ['March 2025', monthFirst, undefined],
    ['2025-W10', dayFirst, undefined],
    ['2025', date, undefined],
    ['soon', date, undefined],
    ['', date, ''],
    ['2025-03-01 10:00', date, '2025-03-01 10:00:00'],
    ['2025-03-01T00:00', date, '2025-03-01'],
    ['01.03.2025', timestamp, '2025-03-01 00:00:00'],
    ['01.03.2025 10:00', timestamp, '2025-03-01 10:00:00'],
    ['2025-03-01T10:00:30.250', timestamp, '2025-03-01 10:00:30.25'],
    ['2025-03-01T10:00:00Z', timestamp, '2025-03-01 10:00:00'],
    ['2025-03-01T00:30:00+01:00', timestamp, '2025-02-28 23:30:00'],
    ['1 March 2025', timestamp, '2025-03-01 00:00:00'],
    ['01.03.2025 25:00', timestamp, undefined],
    ['8:00', timestamp, undefined],
    ['8:00', time, '08:00:00'],
    ['08:00:05', time, '08:00:05'],
    ['9:30 PM', time, '21:30:00'],
    ['12:15am', time, '00:15:00'],
    ['24:00', time, undefined],
    ['13:00 PM', time, undefined],
    ['2025-03-01 10:00', time, undefined],
    ['9', time, undefined],
  ])('reads %s as a value of a column with %j', (text, reading, cell) => {
    expect(literalOf(text, reading)).toBe(cell);
  });
});
