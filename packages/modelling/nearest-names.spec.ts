import { describe, expect, it } from '@jest/globals';
import { cpuMs } from '../../test/support/cpu-time.js';
import { misspelledNames, nearestNames } from './nearest-names.js';

describe('nearestNames', () => {
  it.each([
    ['case', 'san diego', 'San Diego'],
    ['spaces instead of underscores', 'unit cost', 'Unit_cost'],
    ['camel case', 'unitCost', 'unit_cost'],
    ['punctuation', 'oakchair', 'oak-chair'],
    ['accents', 'Munchen', 'München'],
    ['a plural', 'product', 'products'],
    ['a plural within the name', 'machine hours', 'machines_hour'],
    ['a missing letter', 'nrth', 'north'],
    ['two swapped letters', 'demnad', 'demand'],
    ['a wrong letter', 'Seatlle', 'Seattle'],
    ['a name with more words', 'price', 'Price_kg'],
    ['a name with fewer words', 'unit price in euros', 'price'],
    ['an abbreviation', 'prod', 'production'],
  ])('tolerates %s', (_, wanted, expected) => {
    expect(nearestNames(wanted, ['weather', expected, 'xyz'])).toEqual([expected]);
  });

  it('returns at most three names, nearest first', () => {
    const candidates = ['pricing', 'Price_kg', 'prices', 'pryce', 'price_per_box'];
    expect(nearestNames('price', candidates)).toEqual(['prices', 'pryce', 'Price_kg']);
  });

  it('returns the requested number of distinct names', () => {
    expect(nearestNames('price', ['prices', 'prices', 'Price'], 2)).toEqual(['prices', 'Price']);
    expect(nearestNames('price', ['prices', 'Price'], 1)).toEqual(['prices']);
  });

  it.each([
    ['a name without similar candidates', 'price', ['weather', 'lanes', 'hours']],
    ['a name with a different number', 'week12', ['week13', 'week2']],
    ['a short name with different candidates', 'x', ['y', 'p']],
    ['a name without letters or digits', '€', ['price', '$']],
    ['a name without candidates', 'price', []],
  ])('returns an empty list for %s', (_, wanted, candidates) => {
    expect(nearestNames(wanted, candidates)).toEqual([]);
  });

  it('compares 10,000 long names in under two seconds of CPU time', () => {
    const candidates = Array.from({ length: 10_000 }, (_, at) => `${'long'.repeat(30)}${at}`);
    expect(cpuMs(() => nearestNames('lnog'.repeat(30), candidates))).toBeLessThan(2_000);
  });
});

describe('misspelledNames', () => {
  it.each([
    ['Piine', 'Pine'],
    ['screw', 'Screw'],
    ['oak-chair', 'oak chair'],
    ['oka', 'oak'],
    ['Seatle', 'Seattle'],
    ['oak 1', 'Oak 1'],
  ])('matches %s with %s', (name, candidate) => {
    expect(misspelledNames([name], ['table', candidate, 'stool'])).toEqual(new Map([[name, candidate]]));
  });

  it.each([
    ['week 12', 'week 13'],
    ['type A', 'type B'],
    ['A', 'B'],
    ['oak', 'elm'],
    ['oak', 'oak chair'],
    ['2025-03-01', '2025-03-02'],
  ])('does not match %s with %s', (name, candidate) => {
    expect(misspelledNames([name], [candidate])).toEqual(new Map());
  });
});
