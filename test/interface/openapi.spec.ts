import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { differences, type OpenApiDocument } from './compare.js';
import { operations } from './interface.js';

const read = (): OpenApiDocument => JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenApiDocument;

describe('openapi.json', () => {
  it('has the documented interface exactly, and marks everything else as an addition', () => {
    expect(operations).toHaveLength(20);
    expect(differences(read())).toEqual([]);
  });
});
