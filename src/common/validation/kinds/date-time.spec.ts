import { describe } from '@jest/globals';
import { checkField, type Expected } from '../../../../test/support/validation.js';
import { DateTimeField } from '../fields.js';

const notMoment: Expected = ['datetime_type', 'Input should be a valid datetime'];

describe('DateTimeField', () => {
  const date = (error: string): Expected => [
    'datetime_from_date_parsing',
    `Input should be a valid datetime or date, ${error}`,
    { error },
  ];
  const extra = date('unexpected extra characters at the end of the input');
  const separator = date('invalid date separator, expected `-`');
  const moment = (error: string): Expected => [
    'datetime_parsing',
    `Input should be a valid datetime, ${error}`,
    { error },
  ];
  const early = 'dates before 0000 are not supported as unix timestamps';
  const late = 'dates after 9999 are not supported as unix timestamps';
  checkField(
    DateTimeField(),
    (
      [
        ['"2024-01-01T10:20:30Z"', '2024-01-01T10:20:30.000Z'],
        ['"2024-01-01t10:20:30.5z"', '2024-01-01T10:20:30.500Z'],
        ['"2024-01-01 10:20"', '2024-01-01T10:20:00.000Z'],
        ['"2024-01-01_10:20:30,123456789"', '2024-01-01T10:20:30.123Z'],
        ['"2024-01-01T10:20:30+02:30"', '2024-01-01T07:50:30.000Z'],
        ['"2024-01-01T10:20:30-0230"', '2024-01-01T12:50:30.000Z'],
        ['"2024-01-01T10:20:30\u221202:30"', '2024-01-01T12:50:30.000Z'],
        ['"2024-02-29"', '2024-02-29T00:00:00.000Z'],
        ['"0099-03-04"', '0099-03-04T00:00:00.000Z'],
        ['"0001-01-01T00:00+14:00"', '0000-12-31T10:00:00.000Z'],
        ['"9999-12-31T23:59:59-12:00"', '9999-12-31T23:59:59.000Z'],
        ['"1704067200"', '2024-01-01T00:00:00.000Z'],
        ['"1704067200.25"', '2024-01-01T00:00:00.250Z'],
        ['"1704067200123"', '2024-01-01T00:00:00.123Z'],
        ['"2024"', '1970-01-01T00:33:44.000Z'],
        ['"-1"', '1969-12-31T23:59:59.000Z'],
        ['1704067200', '2024-01-01T00:00:00.000Z'],
        ['1704067200.25', '2024-01-01T00:00:00.250Z'],
        ['20000000001', '1970-08-20T11:33:20.001Z'],
      ] as const
    ).map(([json, iso]) => [json, new Date(iso)] as const),
    [
      ['""', ...date('input is too short')],
      ['"x"', ...date('input is too short')],
      ['"2024-1-1"', ...date('input is too short')],
      ['"abcd-01-01"', ...date('invalid character in year')],
      ['" 2024-01-01"', ...date('invalid character in year')],
      ['"2024-0a-01"', ...date('invalid character in month')],
      ['"2024-01-0a"', ...date('invalid character in day')],
      ['"2024-01-0é"', ...date('invalid character in day')],
      ['"2024/01/01"', ...separator],
      ['"2024-01/01"', ...separator],
      ['"20240101xx"', ...separator],
      ['"2024-13-01"', ...date('month value is outside expected range of 1-12')],
      ['"2024-00-01"', ...date('month value is outside expected range of 1-12')],
      ['"2023-02-29"', ...date('day value is outside expected range')],
      ['"1900-02-29"', ...date('day value is outside expected range')],
      ['"2024-04-31"', ...date('day value is outside expected range')],
      ['"2024-01-00"', ...date('day value is outside expected range')],
      ...[
        'T',
        'T25:00:00Z',
        'T10:60',
        'T10:20:60',
        'T10:20:30.',
        'T10',
        'X10:20',
        'T10:20:30 00:00',
        'T10:20:30+24:00',
      ].map((rest) => [`"2024-01-01${rest}"`, ...extra] as const),
      ...['T10:20:30+25:00', 'T10:20:30+02:60', 'T10:20:30+2', 'T10:20:30Zx', ' '].map(
        (rest) => [`"2024-01-01${rest}"`, ...extra] as const,
      ),
      ['"0000-01-01"', ...moment('year 0 is out of range')],
      ['"-62167219200000"', ...moment('year 0 is out of range')],
      ['"999999999999999"', ...date(late)],
      ['"-99999999999999"', ...date(early)],
      ['"99999999999999999999"', ...separator],
      // These strings exceed the length limit that protects the patterns.
      [`"${'1'.repeat(1_000_000)}x"`, ...separator],
      [`"2024-01-01T00:00:00.${'0'.repeat(1_000_000)}"`, ...extra],
      ['999999999999999', ...moment(late)],
      ['-99999999999999', ...moment(early)],
      ['12345678901234567890123', ...moment(late)],
      ['null', ...notMoment],
      ['true', ...notMoment],
      ['[]', ...notMoment],
      ['{}', ...notMoment],
    ],
  );
});
