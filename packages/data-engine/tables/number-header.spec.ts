import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConvertedTables } from '../../../test/support/converted-tables.js';
import type { SheetCell } from '../../../test/support/workbook-file.js';

let tables: ConvertedTables;
beforeAll(async () => {
  tables = await ConvertedTables.open();
});
afterAll(async () => await tables.close());

type Content = string | SheetCell[][];

const sheetOf = (text: string): SheetCell[][] =>
  text.split('\n').map((line) => line.split(',').map((cell) => (/^\d+$/.test(cell) ? Number(cell) : cell)));

describe('a first row of unevenly spaced numbers', () => {
  const scale = 'product,1,2,4,8\noak,10,7,12,9\npine,3,9,1,4';
  it.each<[string, Content, string]>([
    ['descending years', 'region,2025,2024,2023\nN,10,11,12\nS,9,8,7\n', 'region,2025,2024,2023'],
    ['years with a gap', 'region,2023,2024,2026\nN,1000,1100,1200\nS,900,2000,1999\n', 'region,2023,2024,2026'],
    ['milestones', 'region,2020,2025,2030,2050\nN,10,11,12,13\nS,9,8,7,6\n', 'region,2020,2025,2030,2050'],
    ['years without a text cell', '2020,2023,2025\n10,11,12\n9,2001,7\n', '2020,2023,2025'],
    ['two descending years', 'region;2025;2023\nN;10;11\nS;9;8\n', 'region,2025,2023'],
    ['steps that double', scale, 'product,1,2,4,8'],
    ['steps that double in a sheet', sheetOf(scale), 'product,1,2,4,8'],
    ['descending numbers', 'product,4,3,2,1\noak,10,20,15,40\npine,11,21,31,5\n', 'product,4,3,2,1'],
    ['sizes', 'size,100,250,500,1000\nA4,9,8,7,6\nA5,4,4,3,3\n', 'size,100,250,500,1000'],
    [
      'weeks across the end of a year',
      'product,50,51,52,1,2\noak,10,20,30,40,50\npine,11,21,31,41,51\n',
      'product,50,51,52,1,2',
    ],
    ['quarters across the end of a year', sheetOf('product,3,4,1,2\noak,10,20,30,40\npine,5,5,5,5'), 'product,3,4,1,2'],
    ['hours across midnight', 'line;22;23;0;1\nA;5;4;3;3\nB;4;4;2;2\n', 'line,22,23,0,1'],
    ['powers of ten', 'qty,1,10,100,1000\nbolt,9,8,7,6\nnut,4,4,3,3\n', 'qty,1,10,100,1000'],
  ])('is read as a header and reported as uncertain: %s', async (_, content, names) => {
    const table = await tables.read(content);
    expect(table.names).toEqual(names.split(','));
    expect(table.rows).toBe(2);
    expect(table.dialect).toMatchObject({ header: true, uncertain: ['header'] });
  });

  it.each<[string, Content]>([
    ['store numbers', 'product,101,105,230\noak,10,7,12\npine,3,9,1\n'],
    ['three descending numbers', 'product,30,20,10\noak,10,7,12\npine,3,9,1\n'],
    ['two numbers', sheetOf('product,10,50\noak,7,3\npine,8,2')],
    ['numbers that increase in every row', 'product,1,2,4,8\noak,10,20,30,40\npine,1,5,6,9\n'],
    ['rows of numbers only', '1,2,4\n10,7,15\n9,8,7\n'],
    ['decimals', 'size,0.5,1.5,4\noak,10.5,7,1\npine,3,9.5,1\n'],
  ])('is read as data and reported as uncertain: %s', async (_, content) => {
    const table = await tables.read(content);
    expect(table.rows).toBe(3);
    expect(table.dialect).toMatchObject({ header: false, uncertain: ['header'] });
  });

  it.each<[string, string]>([
    ['a text cell that recurs below', 'oak,1,2,4,8\noak,10,7,12,9\n'],
    ['numbers that restart within a cycle', 'oak,5,6,1,2\npine,10,7,12,9\n'],
    ['unordered numbers', 'oak,1,7,4,8\npine,10,7,12,9\n'],
    ['years above years', 'oak,2025,2023\npine,2024,2020\noak,2021,2020\n'],
  ])('is read as data and not reported as uncertain: %s', async (_, content) => {
    const { dialect } = await tables.read(content);
    expect(dialect).toMatchObject({ header: false, uncertain: [] });
  });
});
