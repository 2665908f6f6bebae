import { describe, expect, it } from '@jest/globals';
import { assertComplete } from './hand-written-list.js';

describe('assertComplete', () => {
  it('names the file with the missing entries, or with the entries that no longer exist', () => {
    expect(() => assertComplete('a.table.ts', ['GET /a'], ['GET /b', 'GET /a', 'GET /c'])).toThrow(
      'a.table.ts lacks GET /b, GET /c',
    );
    expect(() => assertComplete('a.table.ts', ['GET /a', 'GET /b'], ['GET /b'])).toThrow(
      'a.table.ts has GET /a, which no longer exists',
    );
  });

  it('accepts any order', () => {
    expect(() => assertComplete('a.table.ts', ['GET /a', 'GET /b'], ['GET /b', 'GET /a'])).not.toThrow();
  });
});
