import { describe, expect, it } from '@jest/globals';
import { configProblems } from './template.js';

const files = (count: number, skill: string, size = 1): { path: string; size: number }[] =>
  Array.from({ length: count }, (_, index) => ({ path: `skills/${skill}/${index}`, size }));

describe('configProblems', () => {
  it('accepts a configuration that reaches every limit', () => {
    const skills = Array.from({ length: 199 }, (_, index) => files(1, `s${index}`)).flat();
    const large = files(200, 'large', 5_000);
    expect(configProblems([{ path: 'AGENTS.md', size: 262_144 }, ...skills, ...large])).toEqual([]);
    expect(configProblems([])).toEqual([]);
  });

  it.each([
    [[{ path: 'AGENTS.md', size: 262_145 }], ['AGENTS.md has 262145 bytes, more than 262144']],
    [
      [
        { path: 'AGENTS.md/a', size: 1 },
        { path: 'AGENTS.md/b/c', size: 1 },
      ],
      ['AGENTS.md is a directory'],
    ],
    [files(201, 'many'), ['skill many has 201 files, more than 200']],
    [files(2, 'large', 500_001), ['skill large has 1000002 bytes, more than 1000000']],
    [
      files(201, 'both', 5_000),
      ['skill both has 201 files, more than 200', 'skill both has 1005000 bytes, more than 1000000'],
    ],
    [[{ path: 'skills', size: 1_000_001 }], ['skill skills has 1000001 bytes, more than 1000000']],
    [
      Array.from({ length: 201 }, (_, index) => files(201, `s${index}`)).flat(),
      ['there are 201 skills, more than 200'],
    ],
  ])('reports exceeded limits and a directory called AGENTS.md: case %#', (given, problems) =>
    expect(configProblems(given)).toEqual(problems),
  );
});
