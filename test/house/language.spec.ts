import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

/*
 * Finds phrases that make comments, test names and documents hard to read. Passing these tests does not prove that the
 * prose is good. They only keep out phrases that used to be common here.
 */

const ROOT = join(import.meta.dirname, '../..');
const MAX_WORDS_IN_SENTENCE = 32;
/** Phrases and their replacements. */
const PHRASES: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\b(?:nobody|somebody|whoever|whichever|anew|meanwhile|thereby|likewise)\b/i, 'name the caller, process or time'],
  [/\b(?:is|are|was|were) none\b/i, 'does not exist, is missing'],
  [/\b(?:tells?|telling|told) (?:of|what|whether|that|the)\b/i, 'reports, returns, notifies'],
  [/\b(?:any more|all the same|of its own|for ever)\b/i, 'any longer, anyway, itself, forever'],
  [/\b(?:what|that) (?:came|comes|becomes|became) of\b/i, 'result, outcome'],
  [/\b(?:is|are|was|were) over\b(?! \d)/i, 'has ended, expired'],
  [/\b(?:it|which|that|value|name|text) stands\b/i, 'is, appears, remains'],
  [/\bthose (?:of|that|which|who)\b/i, 'repeat the noun'],
  [/\b(?:goes|go) on\b/i, 'continues'],
  [/\b(?:has|have) a look\b|\blooks whether\b/i, 'checks, polls'],
];
/** Beginnings of a comment or description that hide its subject. */
const BEGINNING = /^(?:What|Who|Whose|Of|Those|That|Than)\b/;

interface Prose {
  /** File and line number. */
  readonly place: string;
  readonly text: string;
}

/** Joins adjacent lines into paragraphs. An empty line ends a paragraph, and a line that matches `opening` begins another. */
function paragraphs(file: string, lines: readonly string[], opening?: RegExp): Prose[] {
  const texts: { place: string; text: string }[] = [];
  let current: { place: string; text: string } | undefined;
  for (const [at, line] of lines.entries()) {
    if (line === '') current = undefined;
    else if (current !== undefined && opening?.test(line) !== true) current.text += ` ${line}`;
    else texts.push((current = { place: `${file}:${at + 1}`, text: line }));
  }
  return texts;
}

/** Returns the comments of a program, without tags such as `@throws` and without directives for tools. */
function comments(file: string, source: string): Prose[] {
  let isBlock = false;
  const lines = source.split('\n').map((line) => {
    const [, opening = '', words = ''] = /^\s*(\/\*\*?|\/\/|\*(?!\/))? ?(.*?)(?:\*\/)?$/.exec(line) ?? [];
    if (opening.startsWith('/*')) isBlock = true;
    const isComment = opening === '//' || (isBlock && opening !== '');
    if (line.includes('*/')) isBlock = false;
    return isComment && !/^(?:@|eslint|prettier)/.test(words) ? words.trim() : '';
  });
  return paragraphs(file, lines);
}

function testNames(file: string, source: string): Prose[] {
  return source.split('\n').flatMap((line, at) => {
    const [, , text] = /^\s*it(?:\.each\([^)]*\))?\(\s*(['"`])(.+?)\1/.exec(line) ?? [];
    return text === undefined ? [] : [{ place: `${file}:${at + 1}`, text }];
  });
}

/** Returns the paragraphs, headings, list items and table rows of a Markdown file, without its code. */
function documentation(file: string, source: string): Prose[] {
  let isCode = false;
  const lines = source.split('\n').map((line) => {
    const isFence = /^\s*```/.test(line);
    if (isFence) isCode = !isCode;
    return isCode || isFence ? '' : line.trim();
  });
  return paragraphs(file, lines, /^(?:[#|>]|[-*] |\d+\. )/);
}

function descriptions(file: string, source: string): Prose[] {
  const texts: Prose[] = [];
  JSON.parse(source, (key, value: unknown) => {
    if (/^(?:description|summary)$/.test(key) && typeof value === 'string') texts.push({ place: file, text: value });
    return value;
  });
  return texts;
}

/** Returns phrases and sentences that should be rewritten. */
function problemsIn({ place, text }: Prose): string[] {
  const words = text.replace(/`[^`]*`,?/g, '');
  const phrases = PHRASES.flatMap(([phrase, instead]) => {
    const [match] = phrase.exec(words) ?? [];
    return match === undefined ? [] : [`${place}: "${match}", better: ${instead}`];
  });
  const long = words
    .split(/[|]|(?<=[.!?:;])\s/)
    .filter((sentence) => sentence.split(/\s+/).length > MAX_WORDS_IN_SENTENCE)
    .map((sentence) => `${place}: over ${MAX_WORDS_IN_SENTENCE} words: ${sentence}`);
  return [...phrases, ...long];
}

/** Returns the files under version control that match a pattern, except for generated files. */
const filesLike = (name: RegExp): readonly (readonly [file: string, source: string])[] =>
  execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    // Released migrations are never edited.
    .filter((file) => name.test(file) && !/^src\/database\/migrations\/|^bench\/results\/|language\.spec/.test(file))
    .map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]);

describe('the prose in this repository', () => {
  it.each([
    ['comments', /\.[cm]?[jt]sx?$/, comments],
    ['test names', /\.(?:spec|e2e)\.ts$/, testNames],
    ['documentation', /\.md$/, documentation],
    ['API descriptions', /^openapi\.json$/, descriptions],
  ] as const)('does not contain discouraged phrases or overlong sentences in %s', (_area, name, read) => {
    const texts = filesLike(name).flatMap(([file, source]) => read(file, source));
    expect(texts.length).toBeGreaterThan(500);
    expect(texts.flatMap(problemsIn)).toEqual([]);
  });

  it('does not contain comments that begin with a word that hides the subject', () => {
    const texts = filesLike(/\.[cm]?[jt]sx?$/).flatMap(([file, source]) => comments(file, source));
    expect(texts.filter(({ text }) => BEGINNING.test(text)).map(({ place, text }) => `${place}: ${text}`)).toEqual([]);
  });

  it.each([
    ['/** Says what comes of a call. */', 'x:1: "what comes of", better: result, outcome'],
    ['// The lease is over when\n// nobody renews it.', 'x:1: "nobody", better: name the caller, process or time'],
    ['/** Unlike `nobody`, it has a password. */', undefined],
    ['/** Returns it. */\n/** @throws nobody */', undefined],
  ])('is searched for discouraged phrases, for example in %j', (source, problem) => {
    expect(comments('x', source).flatMap(problemsIn).at(0)).toBe(problem);
  });
});
