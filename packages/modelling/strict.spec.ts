import { describe, expect, it } from '@jest/globals';
import { isProblem } from './formula.js';
import { parseFormula, parseIndex } from './parse-formula.js';
import { nextWhole, noteOnStrict } from './strict.js';
import type { Vocabulary } from './vocabulary.js';

describe('nextWhole', () => {
  it.each([
    [3, 4],
    [3.2, 4],
    [-3, -2],
    [-2.5, -2],
    [0.1 * 30, 4],
    [2.9999999999999996, 4],
    [1e12, 1e12 + 1],
    [-Infinity, -Infinity],
    [Infinity, Infinity],
  ])('returns the smallest integer above %d', (bound, next) => {
    expect(nextWhole(bound) + 0).toBe(next);
  });
});

describe('noteOnStrict', () => {
  const index = parseIndex('p in products');
  if (isProblem(index)) throw new Error(index.problem);
  const vocabulary: Vocabulary = {
    sets: new Map([['products', { arity: 1 }]]),
    columns: new Map([['most', [{ set: 'products', type: 'number' }]]]),
    families: new Map([
      ['make', { index }],
      ['melt', { index }],
    ]),
    variables: new Set(['x', 'y', 'z']),
    wholes: new Set(['x', 'y', 'make']),
    values: new Map([['half', 0.5]]),
  };
  const noteOf = (text: string): string | undefined => {
    const formula = parseFormula(text);
    if (isProblem(formula)) throw new Error(formula.problem);
    return noteOnStrict(formula, vocabulary);
  };

  it.each([
    ['x > 3', '`>` is treated as `>= 4`, because all variables are whole numbers'],
    ['2x > 5', '`>` is treated as `>= 6`, because all variables are whole numbers'],
    ['x + y < 10', '`<` is treated as `<= 9`, because all variables are whole numbers'],
    ['x < half', '`<` is treated as `<= 0`, because all variables are whole numbers'],
    ['3 < x', '`<` means a difference of at least 1, because all variables are whole numbers'],
    ['0 < x < 9', '`<` means a difference of at least 1, because all variables are whole numbers'],
    [
      'make[p] < most[p]',
      '`<` means a difference of at least 1, because all variables are whole numbers; if a coefficient is a fraction, it is treated as `<=`',
    ],
    ['half * x > 1', '`>` is treated as `>=`, because a coefficient is a fraction'],
    ['x + z > 3', '`>` is treated as `>=`, because z may be a fraction'],
    ['melt[p] > 0', '`>` is treated as `>=`, because melt may be a fraction'],
  ])('returns a note on how %s is interpreted', (text, note) => {
    expect(noteOf(text)).toBe(note);
  });

  it.each(['x >= 3', 'x = 3', 'x ≤ 3', '0 <= x <= 9', '3 > 2', 'unknown > 2'])(
    'does not return a note for %s',
    (text) => {
      expect(noteOf(text)).toBeUndefined();
    },
  );
});
