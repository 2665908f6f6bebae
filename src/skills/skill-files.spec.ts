import { describe, expect, it } from '@jest/globals';
import type { TreeFile } from '../files/tree/tree-file.js';
import { Invalid } from '../common/errors/errors.js';
import { checkSkill, isSkillName, skillsAmong } from './skill-files.js';

const refusal = (name: string, files: [string, string][]): unknown[] => {
  try {
    checkSkill(name, new Map(files));
  } catch (error) {
    if (error instanceof Invalid && Array.isArray(error.detail))
      return error.detail.map(({ type, loc }) => [type, ...loc]);
    throw error;
  }
  return [];
};
const main: [string, string] = ['SKILL.md', 'text'];

describe('isSkillName', () => {
  it.each(['a', '0', 'a-b', 'a1-2-c', 'x'.repeat(64)])('accepts %j', (name) => expect(isSkillName(name)).toBe(true));
  it.each(['', '-a', 'a-', 'a--b', 'A', 'a_b', 'é', 'a b', 'x'.repeat(65), 'a\n'])('rejects %j', (name) =>
    expect(isSkillName(name)).toBe(false),
  );
});

describe('checkSkill', () => {
  it('accepts up to 200 files with up to 1,000,000 bytes in total, and normalizes paths', () => {
    const files = Array.from({ length: 199 }, (_, index): [string, string] => [`f${index}`, '']);
    expect(refusal('a', [main, ...files])).toEqual([]);
    expect(refusal('a', [main, ...files, ['one-more', '']])).toEqual([['value_error', 'body', 'files']]);
    expect(refusal('a', [main, ['big', 'x'.repeat(1_000_000 - 4)]])).toEqual([]);
    expect(refusal('a', [main, ['big', 'é'.repeat(500_000)]])).toEqual([['value_error', 'body', 'files']]);
    expect([
      ...checkSkill(
        'a',
        new Map([
          ['e\u0301', 'y'],
          ['b', ''],
          ['/SKILL.md', 'x'],
        ]),
      ).keys(),
    ]).toEqual(['SKILL.md', 'b', '\u00e9']);
  });

  it('reports every invalid path', () => {
    expect(refusal('a', [main, ['../x', ''], ['b//c', ''], ['ok', ''], ['d\\e', '']])).toEqual([
      ['value_error', 'body', 'files', '../x'],
      ['value_error', 'body', 'files', 'b//c'],
      ['value_error', 'body', 'files', 'd\\e'],
    ]);
    expect(refusal('a', [main, ['e\u0301', ''], ['\u00e9', '']])).toEqual([['value_error', 'body', 'files', '\u00e9']]);
    expect(refusal('a', [main, ['x/y/z', ''], ['x/y', '']])).toEqual([['value_error', 'body', 'files', 'x/y/z']]);
  });

  it('requires a file named exactly SKILL.md in the top-level directory', () => {
    expect(refusal('a', [['skill.md', '']])).toEqual([['missing', 'body', 'files', 'SKILL.md']]);
    expect(refusal('a', [['x/SKILL.md', '']])).toEqual([['missing', 'body', 'files', 'SKILL.md']]);
  });
});

describe('skillsAmong', () => {
  const file = (path: string): TreeFile => ({
    path,
    blob_id: path,
    size: 1,
    file_id: null,
    content_type: null,
    source: null,
    modified: new Date(0),
  });

  it('finds folders with a valid name and a SKILL.md file, and ignores everything else', () => {
    const paths = [
      'AGENTS.md',
      'skills/Big/SKILL.md',
      'skills/README.md',
      'skills/a-b/SKILL.md',
      'skills/a/SKILL.md',
      'skills/a/x/y',
      'skills/b/skill.md',
      'skills/c/x/SKILL.md',
    ];
    const found = skillsAmong(paths.map(file)).map(({ name, files }) => [name, ...files.keys()]);
    expect(found).toEqual([
      ['a', 'SKILL.md', 'x/y'],
      ['a-b', 'SKILL.md'],
    ]);
  });
});
