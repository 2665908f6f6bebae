import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { freeHandle, slugOf } from './handle.js';

describe('slugOf', () => {
  it.each([
    ['Production planning', 'production-planning'],
    ['  Crème brûlée №5! ', 'creme-brulee-no5'],
    ['ÅNGSTRÖM', 'angstrom'],
    ['生産計画', 'deployment'],
    ['---', 'deployment'],
    ['a'.repeat(100), 'a'.repeat(100)],
  ])('turns %j into %j', (name, slug) => {
    expect(slugOf(name)).toBe(slug);
  });

  it('always returns a handle that the schema accepts', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 120 }), (name) =>
        /^[a-z0-9]+(-[a-z0-9]+)*$/.test(slugOf(name)),
      ),
    );
  });
});

describe('freeHandle', () => {
  it('appends a number to colliding handles, starting at 2', () => {
    expect(freeHandle('a', new Set())).toBe('a');
    expect(freeHandle('a', new Set(['a']))).toBe('a-2');
    expect(freeHandle('a', new Set(['a', 'a-2', 'a-3']))).toBe('a-4');
  });
});
