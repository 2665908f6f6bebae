import { describe, expect, it } from '@jest/globals';
import { FrontmatterError, readFrontmatter } from './frontmatter.js';

const problemOf = (text: string): string => {
  try {
    readFrontmatter(text);
  } catch (error) {
    if (error instanceof FrontmatterError) return error.message;
    throw error;
  }
  return 'none';
};

describe('readFrontmatter', () => {
  it('is optional', () => {
    expect(readFrontmatter('# A skill\n')).toEqual({ body: '# A skill\n' });
    expect(readFrontmatter('')).toEqual({ body: '' });
    expect(readFrontmatter('text\n---\nname: x\n---\n')).toEqual({ body: 'text\n---\nname: x\n---\n' });
  });

  it.each([
    ['LF', '---\nname: a\ndescription: What it does\n---\nText\n'],
    ['CRLF', '---\r\nname: a\r\ndescription: What it does\r\n---\r\nText\n'],
    ['a byte order mark', '\uFEFF---\nname: a\ndescription: What it does\n---\nText\n'],
  ])('reads name and description with %s', (_, text) => {
    expect(readFrontmatter(text)).toMatchObject({ name: 'a', description: 'What it does' });
    expect(readFrontmatter(text).body.trim()).toBe('Text');
  });

  it('reads an empty one', () => {
    expect(readFrontmatter('---\n---\nText')).toEqual({ body: '\nText' });
    expect(readFrontmatter('---\nname:\n---\n')).toEqual({ body: '\n' });
  });

  it.each([
    ['one that is not closed', '---\nname: a\n', /^line 1: .*not closed/],
    ['an unquoted colon', '---\nname: a\ndescription: one: two\n---\n', /^line 3: /],
    ['a tab as indentation', '---\nname: a\nmore:\n\tx: 1\n---\n', /^line 4: /],
    ['an alias', '---\na: &x 1\nb: *x\n---\n', /^line 2: anchors are not allowed/],
    ['a tag', '---\nname: !!js/function "x"\n---\n', /^line 2: /],
    ['a known tag', '---\nname: !!str x\n---\n', /^line 2: /],
    ['a list', '---\n- a\n---\n', /^line 2: .*not a mapping/],
    ['a key given twice', '---\nname: a\nname: a\n---\n', /^line 3: /],
    ['a name that is no string', '---\nx: 1\nname: 5\n---\n', /^line 3: name is not a string/],
    ['one over 64 kB', `---\nname: a\nx: ${'y'.repeat(70_000)}\n---\n`, /^line 1: .*larger than 64 kB/],
  ])('refuses %s with its line', (_, text, message) => {
    expect(problemOf(text)).toMatch(message);
  });
});
