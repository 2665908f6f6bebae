import { describe, expect, it } from '@jest/globals';
import { namesFile } from './named-files.js';

describe('namesFile', () => {
  it.each([
    ['Please replace demand.csv', 'demand.csv'],
    ['demand.csv: make it shorter.', 'demand.csv'],
    ['Overwrite `inputs/demand.csv`.', 'inputs/demand.csv'],
    ['(see /inputs/demand.csv)', 'inputs/demand.csv'],
    ['Change "June + July (1).csv"', 'June + July (1).csv'],
    ['gro\u0308\u00dfe.txt, please', 'gr\u00f6\u00dfe.txt'],
  ])('recognizes that %j names the file %j', (text, path) => expect(namesFile(text, path)).toBe(true));

  it.each([
    ['Read the orders', 'orders.csv'],
    ['Replace demand.csv.bak', 'demand.csv'],
    ['Replace old-demand.csv', 'demand.csv'],
    ['Replace archive/demand.csv', 'demand.csv'],
    ['Replace demand.csv', 'inputs/demand.csv'],
    ['Replace demand.csv/x', 'demand.csv'],
    ['Replace demandXcsv', 'demand.csv'],
    ['', 'demand.csv'],
  ])('recognizes that %j does not name the file %j', (text, path) => expect(namesFile(text, path)).toBe(false));
});
