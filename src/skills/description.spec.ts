import { describe, expect, it } from '@jest/globals';
import { describeSkill, HEAD_BYTES } from './description.js';

describe('describeSkill', () => {
  it.each([
    ['---\ndescription: Said\n---\n# Title', 'Said'],
    ['---\ndescription: >\n  Said\n  here\n---\n# Title', 'Said here'],
    ['---\ndescription: " "\n---\n# Title', 'Title'],
    ['---\nname: a\n---\n\n## The title  \ntext', 'The title'],
    ['\n  first line\nsecond', 'first line'],
    ['', ''],
    ['---\nfaulty: a: b\n---\ntext', ''],
  ])('describes %j as %j', (text, description) => expect(describeSkill(text)).toBe(description));

  it('truncates a long first line, and needs only the first bytes of a file', () => {
    expect(describeSkill('x'.repeat(5000))).toBe('x'.repeat(1024));
    const texts = [
      `---\ndescription: ${'é'.repeat(30_000)}\n---\n${'z'.repeat(HEAD_BYTES)}`,
      `---\nmore: ${'y'.repeat(65_000)}\n---\n# Title\n${'z'.repeat(HEAD_BYTES)}`,
      `---\nmore: ${'y'.repeat(70_000)}\n---\n# Title\n`,
      `${'\n'.repeat(HEAD_BYTES)}Too late`,
    ];
    const described = texts.map((text) => describeSkill(text));
    expect(texts.map((text) => describeSkill(Buffer.from(text).subarray(0, HEAD_BYTES).toString()))).toEqual(described);
    expect(described).toEqual(['é'.repeat(30_000), 'Title', '', '']);
  });
});
