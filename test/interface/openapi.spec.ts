import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { differences, type OpenApiDocument } from './compare.js';
import { assertComplete } from '../support/hand-written-list.js';
import { operations } from './interface.js';

const read = (): OpenApiDocument => JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenApiDocument;

describe('openapi.json', () => {
  it('matches the documented interface and marks everything else as an extension', () => {
    expect(operations).toHaveLength(20);
    expect(differences(read())).toEqual([]);
  });

  it('assigns each operation to exactly one of the listed tags', () => {
    const { paths, tags } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
      paths: Record<string, Record<string, { tags: string[] }>>;
      tags: { name: string }[];
    };
    const groups = tags.map(({ name }) => name);
    const used = Object.values(paths).flatMap((item) => Object.values(item).map((operation) => operation.tags));
    expect(used.filter(({ length }) => length !== 1)).toEqual([]);
    assertComplete('GROUPS in src/common/openapi/document.ts', groups, [...new Set(used.flat())]);
  });
});
