import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FrontmatterError, readFrontmatter } from './frontmatter.js';

const problemOf = (text: string, skill?: string): string => {
  try {
    readFrontmatter(text, skill);
  } catch (error) {
    if (error instanceof FrontmatterError) return error.message;
    throw error;
  }
  return 'none';
};
const frontmatter = (yaml: string): string => `---\n${yaml}\n---\n`;

describe('readFrontmatter', () => {
  it('accepts text without frontmatter', () => {
    expect(readFrontmatter('# A skill\n')).toEqual({ body: '# A skill\n' });
    expect(readFrontmatter('')).toEqual({ body: '' });
    expect(readFrontmatter('---')).toEqual({ body: '---' });
    expect(readFrontmatter('--- x\n---\n')).toEqual({ body: '--- x\n---\n' });
    expect(readFrontmatter('text\n---\nname: x\n---\n')).toEqual({ body: 'text\n---\nname: x\n---\n' });
  });

  it.each([
    ['LF', '---\nname: a\ndescription: What it does\n---\nText\n'],
    ['CRLF', '---\r\nname: a\r\ndescription: What it does\r\n---\r\nText\r\n'],
    ['a byte order mark', '\uFEFF---\nname: a\ndescription: What it does\n---\nText\n'],
    ['spaces after the dashes', '---  \nname: a\ndescription: What it does\n--- \t\nText'],
  ])('reads name and description with %s', (_, text) => {
    expect(readFrontmatter(text, 'a')).toMatchObject({ name: 'a', description: 'What it does' });
    expect(readFrontmatter(text).body.trim()).toBe('Text');
  });

  it('ends the frontmatter at the first line of dashes', () => {
    expect(readFrontmatter('---\nname: a\nmore: |\n  ---\n  x\n---\n---\n')).toEqual({ name: 'a', body: '\n---\n' });
    expect(readFrontmatter('---\nname: a\n---')).toEqual({ name: 'a', body: '' });
    expect(problemOf('---\nname: a\u2028---\n')).toMatch(/^line 1: .*no closing line/);
  });

  it('accepts empty frontmatter and ignores unknown keys', () => {
    expect(readFrontmatter('---\n---\nText')).toEqual({ body: '\nText' });
    expect(readFrontmatter('---\nname:\n---\n')).toEqual({ body: '\n' });
    expect(readFrontmatter('---\n# nothing\n---\n')).toEqual({ body: '\n' });
    const text = frontmatter(
      'allowed-tools: [a, b]\nmetadata: {deep: {x: 1}}\n5: five\n? [a]\n: b\ndescription: >\n  two\n  lines',
    );
    expect(readFrontmatter(text)).toEqual({ description: 'two lines\n', body: '\n' });
  });

  it.each([
    ['frontmatter without a closing line', '---\nname: a\n', 'line 1: the frontmatter has no closing line ---'],
    [
      'an unquoted colon',
      frontmatter('name: a\ndescription: one: two'),
      'line 3: nested mappings are not allowed in compact mappings; put text that contains ": " in quotes',
    ],
    ['a tab as indentation', frontmatter('name: a\nmore:\n\tx: 1'), 'line 4: tabs are not allowed as indentation'],
    ['an unclosed quote', frontmatter('name: "a'), 'line 3: missing closing "quote'],
    [
      'a value that starts with @',
      frontmatter('x: 1\n\nname: @a'),
      'line 4: plain value cannot start with reserved character @',
    ],
    ['an anchor', frontmatter('a: &x 1'), 'line 2: anchors are not allowed'],
    ['an alias', frontmatter('b: 1\na: *x'), 'line 3: aliases are not allowed'],
    ['an alias as a key', frontmatter('*x : 1'), 'line 2: aliases are not allowed'],
    ['a tag that creates code', frontmatter('name: !!js/function "x"'), 'line 2: tags are not allowed'],
    ['a standard tag', frontmatter('name: !!str x'), 'line 2: tags are not allowed'],
    ['a custom tag', frontmatter('x:\n  - !x y'), 'line 3: tags are not allowed'],
    ['a binary value', frontmatter('x: !!binary aGVsbG8='), 'line 2: tags are not allowed'],
    ['a directive', frontmatter('%TAG ! x\na: 1'), 'line 3: missing directives-end'],
    ['a list', frontmatter('- a'), 'line 2: the frontmatter is not a mapping'],
    ['a string', frontmatter('just text'), 'line 2: the frontmatter is not a mapping'],
    ['two documents', frontmatter('a: 1\n...\nb: 2'), 'line 4: the frontmatter contains more than one YAML document'],
    ['a duplicate key', frontmatter('name: a\nname: a'), 'line 3: the key "name" appears twice'],
    ['a duplicate nested key', frontmatter('x:\n  y: 1\n  y: 2'), 'line 4: the key "y" appears twice'],
    ['a name that is not a string', frontmatter('x: 1\nname: 5'), 'line 3: name is not a string'],
    ['a description that is a list', frontmatter('name: a\ndescription: [a]'), 'line 3: description is not a string'],
    ['the name of another skill', frontmatter('x: 1\nname: b'), 'line 3: the name is "b", but the skill is a'],
    ['an empty name', frontmatter('name: ""'), 'line 2: the name is "", but the skill is a'],
  ])('rejects %s with the line number', (_, text, message) => {
    expect(problemOf(text, 'a').slice(0, message.length)).toBe(message);
  });

  it('accepts at most 65,536 bytes', () => {
    const ofBytes = (bytes: number): string => `---\nx: ${'é'.repeat((bytes - 4) / 2)}\n---\n`;
    expect(problemOf(ofBytes(65_536))).toBe('none');
    expect(problemOf(ofBytes(65_538))).toBe('line 1: the frontmatter has more than 65536 bytes');
  });

  const N = 60_000;
  it.each([
    ['nested brackets', '['.repeat(N)],
    ['nested brackets with closing brackets', `x: ${'['.repeat(N / 2)}${']'.repeat(N / 2)}`],
    ['nested braces', 'x: {a: '.repeat(N / 8)],
    ['nested lists', '- '.repeat(N / 2)],
    ['nested keys', '? '.repeat(N / 2)],
    ['nested empty keys', ': '.repeat(N / 2)],
    ['several keys per line', 'a: '.repeat(N / 3)],
    ['growing indentation', Array.from({ length: 300 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
    ['commas', `[${','.repeat(N)}`],
    ['closing braces', '}'.repeat(N)],
    ['quotes', '""'.repeat(N / 2)],
    ['tags', '! '.repeat(N / 2)],
    ['anchors', '&a '.repeat(N / 3)],
    ['directives', '%\n'.repeat(N / 2)],
    ['document end markers', '...\n'.repeat(N / 4)],
    ['keys without a value', Array.from({ length: 9_000 }, (_, index) => `k${index}:`).join('\n')],
    ['aliases of aliases', 'a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\nd: &d [*c,*c]'],
    ['colons', ':'.repeat(N)],
    ['block scalar indicators', '|'.repeat(N)],
  ])('rejects a bomb of %s within a second', (_, yaml) => {
    const start = performance.now();
    expect(problemOf(frontmatter(yaml))).toMatch(/^line \d+: .{1,300}$/s);
    expect(performance.now() - start).toBeLessThan(1_000);
  });

  it('parses or rejects arbitrary input without unexpected errors', () => {
    const pieces = fc.constantFrom(
      ...[
        'name',
        'description',
        ':',
        ': ',
        '-',
        '- ',
        '\n',
        '\n ',
        '\r\n',
        '\t',
        '"',
        "'",
        '[',
        ']',
        '{',
        '}',
        ',',
        '#',
      ],
      ...[
        '&a',
        '*a',
        '!',
        '!!str ',
        '|',
        '>',
        '?',
        '? ',
        '%',
        '@',
        '`',
        '~',
        '<<',
        '---',
        '...',
        'é',
        '\u2028',
        '5',
        ' ',
      ],
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
        const text = frontmatter(parts.join(''));
        const problem = problemOf(text, 'name');
        expect(problem).toMatch(/^(none|line \d+: .+)$/s);
        const line = Number(/^line (\d+)/.exec(problem)?.[1] ?? 1);
        expect(line).toBeLessThanOrEqual(text.split('\n').length);
      }),
      { numRuns: 2_000 },
    );
  });
});
