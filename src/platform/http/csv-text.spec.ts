import { expect, it } from '@jest/globals';
import { CsvText } from './csv-text.js';

it('quotes cells as RFC 4180 has it, and has no formula in a text', () => {
  const rows = [
    ['id', 'name', 'credits'],
    ['1', 'Plain', -1.5],
    ['2', 'With "quotes", and\na line', null],
    ['=1+1', '+1', 0],
    ['-1', '@SUM(A1)', 2],
    ['\t=1', '\r=1', 3],
    [' =1', 'a=1', 4],
  ];
  expect(new CsvText(rows).text).toBe(
    [
      'id,name,credits',
      '1,Plain,-1.5',
      '2,"With ""quotes"", and\na line",',
      "'=1+1,'+1,0",
      "'-1,'@SUM(A1),2",
      '\'\t=1,"\'\r=1",3',
      '" =1",a=1,4',
      '',
    ].join('\n'),
  );
});
