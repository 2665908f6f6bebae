import { describe, expect, it } from '@jest/globals';
import { TableFiles } from '../../../test/support/converted-table.js';

const files = new TableFiles();

describe('a telephone number with a plus sign', () => {
  it.each([['+4930123456'], ['+15551234567'], ['+49 301 234 567'], ['+85212345678']])(
    'is read as text: %s',
    async (text) => {
      const { columns, rows } = await files.convert(`id,phone\na,${text}\nb,5\n`, 'csv');
      expect(columns).toEqual(['id text', 'phone text']);
      expect(rows).toEqual([
        ['a', text],
        ['b', '5'],
      ]);
    },
  );

  it.each([
    ['+5', 5],
    ['+1234567', 1_234_567],
    ['"+12,345,678"', 12_345_678],
    ['+12345678.5', 12_345_678.5],
    ['+1e+9', 1e9],
    ['-12345678', -12_345_678],
  ])('is not confused with another signed number: %s', async (text, value) => {
    expect((await files.convert(`id,change\na,${text}\nb,2\n`, 'csv')).rows).toEqual([
      ['a', value],
      ['b', 2],
    ]);
  });
});
