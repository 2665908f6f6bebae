import { type ErrorEntry, Invalid, invalidValue, missing } from '../platform/errors/errors.js';
import { InvalidPath, normalizePath } from '../files/paths.js';
import { type Frontmatter, FrontmatterError, readFrontmatter } from './frontmatter.js';

export const SKILL_FILE = 'SKILL.md';
const SKILL_NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const MAX_NAME_LENGTH = 64;
const MAX_FILES = 200;
const MAX_BYTES = 1_000_000;

/** Most bytes of a request that carries a skill: escapes make JSON several times as long as its texts. */
export const SKILL_BODY_BYTES = 8 * 1024 ** 2;

/** A name as a folder of skills may have: 1 to 64 of `[a-z0-9]` with single `-` between. */
export const isSkillName = (name: string): boolean => name.length <= MAX_NAME_LENGTH && SKILL_NAME.test(name);

/** A set of files that a skill may have, by normalised path in the order given. */
export type SkillFiles = ReadonlyMap<string, string>;

/**
 * Checks a skill as a whole: name, paths, sizes, SKILL.md and its frontmatter.
 *
 * @throws Invalid with every problem that the first failing group of rules found.
 */
export function checkSkill(skill: string, given: SkillFiles): SkillFiles {
  if (!isSkillName(skill)) {
    throw new Invalid([invalidValue(['path', 'skill'], 'a skill name has 1 to 64 of a-z and 0-9 with single - between', skill)]);
  }
  const files = normalised(given);
  const main = files.get(SKILL_FILE);
  if (main === undefined) throw new Invalid([missing(['body', 'files', SKILL_FILE], Object.fromEntries(given))]);
  const tooLarge = sizeProblem(files);
  if (tooLarge !== undefined) throw new Invalid([invalidValue(['body', 'files'], tooLarge, null)]);
  checkFrontmatter(skill, main);
  return files;
}

/**
 * What a catalogue says of a skill: the frontmatter's description, else the first line of text, else nothing. A
 * SKILL.md that came as a plain upload was not checked; one with a faulty frontmatter has no description.
 */
export function describeSkill(main: string): string {
  const { description, body } = frontmatterOf(main);
  if (description !== undefined) return description;
  const line = body.split(/\r?\n/).find((candidate) => candidate.trim() !== '');
  return line?.replace(/^#+\s*/, '').trim() ?? '';
}

function frontmatterOf(main: string): Frontmatter {
  try {
    return readFrontmatter(main);
  } catch (error) {
    if (error instanceof FrontmatterError) return { body: '' };
    throw error;
  }
}

function normalised(given: SkillFiles): SkillFiles {
  const files = new Map<string, string>();
  const problems: ErrorEntry[] = [];
  for (const [givenPath, text] of given) {
    try {
      const path = normalizePath(givenPath);
      if (files.has(path)) throw new InvalidPath('the same path is given twice');
      files.set(path, text);
    } catch (error) {
      if (!(error instanceof InvalidPath)) throw error;
      problems.push(invalidValue(['body', 'files', givenPath], error.message, text));
    }
  }
  for (const path of files.keys()) {
    const folder = ancestors(path).find((ancestor) => files.has(ancestor));
    if (folder !== undefined) problems.push(invalidValue(['body', 'files', path], `${folder} is a file and cannot hold files`, files.get(path)));
  }
  if (problems.length > 0) throw new Invalid(problems);
  return files;
}

const ancestors = (path: string): string[] => [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index));

function sizeProblem(files: SkillFiles): string | undefined {
  if (files.size > MAX_FILES) return `a skill has at most ${MAX_FILES} files, not ${files.size}`;
  let bytes = 0;
  for (const text of files.values()) bytes += Buffer.byteLength(text);
  return bytes > MAX_BYTES ? `the files of a skill have at most ${MAX_BYTES} bytes together, not ${bytes}` : undefined;
}

function checkFrontmatter(skill: string, main: string): void {
  const refuse = (reason: string): never => {
    throw new Invalid([invalidValue(['body', 'files', SKILL_FILE], `${SKILL_FILE} ${reason}`, main)]);
  };
  try {
    const { name } = readFrontmatter(main);
    if (name !== undefined && name !== skill) refuse(`names the skill ${name}, but it is ${skill}`);
  } catch (error) {
    if (!(error instanceof FrontmatterError)) throw error;
    refuse(error.message);
  }
}
