import { describe, expect, it } from '@jest/globals';
import { readScope, writeScope } from './download-scope.js';

describe('readScope', () => {
  it.each([
    ['with an API key', { container_id: 'c', api_key_id: 'k' }, 'c.k'],
    ['without an API key', { container_id: 'c', api_key_id: null }, 'c.'],
  ])('returns a scope %s that writeScope has written', (_, scope, text) => {
    expect(writeScope(scope)).toBe(text);
    expect(readScope(text)).toEqual(scope);
  });
});
