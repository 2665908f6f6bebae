import { describe, expect, it } from '@jest/globals';
import { contentTypeByName } from './content-type.js';

describe('contentTypeByName', () => {
  it.each([
    ['a/b.csv', 'text/csv'],
    ['AGENTS.md', 'text/markdown'],
    ['a.JSON', 'application/json'],
    ['json', null],
    ['a/.json', null],
    ['a.json/b', null],
    ['a.', null],
    ['a.unheard-of', null],
  ])('maps %j to %j', (path, type) => {
    expect(contentTypeByName(path)).toBe(type);
  });
});
