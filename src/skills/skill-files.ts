import { MAX_SKILL_BYTES, MAX_SKILL_FILES, SKILLS_FOLDER } from '../deployments/template.js';
import { InvalidPath, normalizePath } from '../../packages/paths/index.js';
import type { TreeFile } from '../files/tree/tree-file.js';
import { type ErrorEntry, Invalid, invalidValue, missing } from '../common/errors/errors.js';
import { FrontmatterError, readFrontmatter } from './frontmatter.js';
import type { SkillTree } from './skill.js';

export const SKILL_FILE = 'SKILL.md';
const SKILL_NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const MAX_NAME_LENGTH = 64;

/**
 * Maximum size of a request that contains a skill, in bytes. Escaping can make the JSON several times as long as the strings in
 * it.
 */
export const MAX_SKILL_BODY_BYTES = 8 * 1024 ** 2;

/** Returns whether a name is a valid skill name: 1 to 64 characters, `[a-z0-9]` with single `-` between them. */
export const isSkillName = (name: string): boolean => name.length <= MAX_NAME_LENGTH && SKILL_NAME.test(name);

/** File contents by path, relative to the skill's directory. */
export type SkillFiles = ReadonlyMap<string, string>;

/** Returns the path of a skill's directory in a tree. */
export const folderOf = (skill: string): string => `${SKILLS_FOLDER}/${skill}`;

/**
 * Validates a whole skill: its name, paths, size, SKILL.md and frontmatter. Returns its files sorted by path, as in listings.
 *
 * @throws Invalid with all problems that the first failed check finds
 */
export function checkSkill(skill: string, input: SkillFiles): SkillFiles {
  if (!isSkillName(skill)) {
    throw new Invalid([
      invalidValue(
        ['path', 'skill'],
        'a skill name must have 1 to 64 characters: a-z and 0-9, with single hyphens between them',
        skill,
      ),
    ]);
  }
  const tooMany = countProblem(input);
  if (tooMany !== undefined) throw new Invalid([invalidValue(['body', 'files'], tooMany, Object.fromEntries(input))]);
  const files = normalised(input);
  const main = files.get(SKILL_FILE);
  if (main === undefined) throw new Invalid([missing(['body', 'files', SKILL_FILE], Object.fromEntries(input))]);
  const tooLarge = sizeProblem(files);
  if (tooLarge !== undefined) {
    throw new Invalid([invalidValue(['body', 'files'], tooLarge, Object.fromEntries(input))]);
  }
  checkFrontmatter(skill, main);
  return files;
}

/**
 * Returns the skills among the files in a tree, sorted by name. A skill is a subfolder of the skills folder with a valid name
 * and a SKILL.md. Ignores other uploaded files.
 *
 * @param files files sorted by path
 */
export function skillsAmong(files: Iterable<TreeFile>): SkillTree[] {
  const byName = new Map<string, Map<string, TreeFile>>();
  for (const file of files) {
    const [folder, name = '', ...rest] = file.path.split('/');
    if (folder !== SKILLS_FOLDER || rest.length === 0 || !isSkillName(name)) continue;
    const skillFiles = byName.get(name) ?? new Map<string, TreeFile>();
    byName.set(name, skillFiles.set(rest.join('/'), file));
  }
  return [...byName]
    .filter(([, skillFiles]) => skillFiles.has(SKILL_FILE))
    .map(([name, skillFiles]) => ({ name, files: skillFiles }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function normalised(input: SkillFiles): SkillFiles {
  const files = new Map<string, string>();
  const problems: ErrorEntry[] = [];
  for (const [inputPath, text] of input) {
    try {
      const path = normalizePath(inputPath);
      if (files.has(path)) throw new InvalidPath('the path is listed twice');
      files.set(path, text);
    } catch (error) {
      if (!(error instanceof InvalidPath)) throw error;
      problems.push(invalidValue(['body', 'files', inputPath], error.message, text));
    }
  }
  for (const path of files.keys()) {
    const folder = ancestors(path).find((ancestor) => files.has(ancestor));
    if (folder === undefined) continue;
    problems.push(invalidValue(['body', 'files', path], `${folder} is a file and cannot hold files`, files.get(path)));
  }
  if (problems.length > 0) throw new Invalid(problems);
  return new Map([...files].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
}

const ancestors = (path: string): string[] => [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index));

/** Checked first, because the number of files limits the cost of all other checks. */
const countProblem = ({ size }: SkillFiles): string | undefined =>
  size > MAX_SKILL_FILES ? `a skill can have at most ${MAX_SKILL_FILES} files, not ${size}` : undefined;

function sizeProblem(files: SkillFiles): string | undefined {
  let bytes = 0;
  for (const text of files.values()) bytes += Buffer.byteLength(text);
  return bytes > MAX_SKILL_BYTES
    ? `the files of a skill can have at most ${MAX_SKILL_BYTES} bytes in total, not ${bytes}`
    : undefined;
}

function checkFrontmatter(skill: string, main: string): void {
  try {
    readFrontmatter(main, skill);
  } catch (error) {
    if (!(error instanceof FrontmatterError)) throw error;
    throw new Invalid([invalidValue(['body', 'files', SKILL_FILE], `${SKILL_FILE} ${error.message}`, main)]);
  }
}
