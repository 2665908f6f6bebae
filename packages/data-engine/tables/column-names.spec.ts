import { describe, expect, it } from '@jest/globals';
import { columnNames, withHeaders } from './column-names.js';

describe('the headers of columns', () => {
  it('are kept only if, after trimming, they differ from the column names', () => {
    const rawNames = [' plant ', 'Berlin', '', 'berlin', 'Berlin', 'a\0'];
    const columns = columnNames(rawNames).map((name) => ({ name }));
    expect(withHeaders(columns, rawNames)).toEqual([
      { name: 'plant' },
      { name: 'Berlin' },
      { name: 'column_3', header: '' },
      { name: 'berlin_2', header: 'berlin' },
      { name: 'Berlin_3', header: 'Berlin' },
      { name: 'a' },
    ]);
  });
});
