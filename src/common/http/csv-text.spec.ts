import { expect, it } from '@jest/globals';
import { CsvText } from './csv-text.js';

it.each([
  ['a;=1+1', "a;'=1+1"],
  ['\n=1', '"\n\'=1"'],
  ['a\r\n+1', '"a\r\n\'+1"'],
  ['a; -1', "a; '-1"],
  ['Lovelace, +1 guest', '"Lovelace, +1 guest"'],
  ['a|@SUM(A1)', "a|'@SUM(A1)"],
  ['a"=1', '"a""\'=1"'],
  ['x\t=1;=2', "x\t'=1;'=2"],
  ['＝1+1', "'＝1+1"],
  ['a;b=1', 'a;b=1'],
])('neutralizes formulas in %j', (value, cell) => {
  expect(new CsvText([[value]]).text).toBe(`${cell}\n`);
});

it('quotes cells as specified in RFC 4180 and neutralizes formulas in text', () => {
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
