import { describe, expect, it } from '@jest/globals';
import { assertComplete } from './hand-written-list.js';

describe('assertComplete', () => {
  it('names the file and the entries that are missing, duplicated or obsolete', () => {
    expect(() => assertComplete('a.table.ts', ['GET /a'], ['GET /b', 'GET /a', 'GET /c'])).toThrow(
      'a.table.ts lacks GET /b, GET /c',
    );
    expect(() => assertComplete('a.table.ts', ['GET /a', 'GET /b'], ['GET /b'])).toThrow(
      'a.table.ts has GET /a, which no longer exists',
    );
    expect(() => assertComplete('a.table.ts', ['GET /a', 'GET /a'], ['GET /a'])).toThrow('a.table.ts has GET /a twice');
  });

  it('accepts entries in any order', () => {
    expect(() => assertComplete('a.table.ts', ['GET /a', 'GET /b'], ['GET /b', 'GET /a'])).not.toThrow();
  });
});
