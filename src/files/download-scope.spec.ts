import { describe, expect, it } from '@jest/globals';
import { readScope, writeScope } from './download-scope.js';

describe('download scope', () => {
  it.each([
    ['with an API key', { container_id: 'c', api_key_id: 'k' }, 'c.k'],
    ['without an API key', { container_id: 'c', api_key_id: null }, 'c.'],
  ])('round-trips a scope %s', (_, scope, text) => {
    expect(writeScope(scope)).toBe(text);
    expect(readScope(text)).toEqual(scope);
  });
});
