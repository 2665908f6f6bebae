import { describe, expect, it } from '@jest/globals';
import { readStatement } from './grammar.js';

const sum = { function: 'sum', column: 'quantity' };

describe('readTableQuestion', () => {
  it.each([
    ['show demand.csv', { path: 'demand.csv' }, undefined],
    [
      'Show me the file "data/my demand.xlsx" sheet "Week 1"',
      { path: 'data/my demand.xlsx', sheet: 'Week 1' },
      undefined,
    ],
    ['What is in demand.parquet?', { path: 'demand.parquet' }, undefined],
    ['How many rows has demand.csv?', { path: 'demand.csv' }, { function: 'count' }],
    ['how many rows does demand.csv have', { path: 'demand.csv' }, { function: 'count' }],
    ['count rows in lanes.xlsx, sheet Lanes', { path: 'lanes.xlsx', sheet: 'Lanes' }, { function: 'count' }],
    ['sum of quantity in demand.csv', { path: 'demand.csv' }, sum],
    ['sum of quantity by region in demand.csv', { path: 'demand.csv' }, { ...sum, by: 'region' }],
    [
      'What is the total quantity per sales region in `in/demand.csv`?',
      { path: 'in/demand.csv' },
      { ...sum, by: 'sales region' },
    ],
    ['average price from prices.tsv', { path: 'prices.tsv' }, { function: 'avg', column: 'price' }],
    [
      'highest "unit price" for each product of prices.csv',
      { path: 'prices.csv' },
      { function: 'max', column: 'unit price', by: 'product' },
    ],
    [
      'how many different products in demand.csv',
      { path: 'demand.csv' },
      { function: 'count_distinct', column: 'products' },
    ],
  ])('parses %s', (text, of, compute) => {
    expect(readStatement(text)).toEqual({ statement: { kind: 'table', of, ...(compute && { compute }) } });
  });

  it.each([
    'show',
    'show the canvas',
    'data: demand.csv',
    'max 3x + 2y',
    'sum = x + y',
    'total: x + y <= 4',
    'remove demand.csv',
  ])('does not return a table question for %s', (text) => {
    expect(readStatement(text).statement?.kind).not.toBe('table');
  });
});
