/** Where a deployment's tree, and a project's copy of it, keeps the agent's instructions. */
export const INSTRUCTIONS_FILE = 'AGENTS.md';

/** Folder of the skills in the same trees, one folder each. */
export const SKILLS_FOLDER = 'skills';

/** Names at the top of a deployment's tree that are agent configuration; all others are template files. */
export const AGENT_CONFIG_NAMES: readonly string[] = [INSTRUCTIONS_FILE, SKILLS_FOLDER];

export const MAX_INSTRUCTIONS_BYTES = 256 * 1024;
/** Skills in one scope: all of them are in the catalogue that every turn reads. */
export const MAX_SKILLS = 200;
export const MAX_SKILL_FILES = 200;
/** Of the files of one skill together. */
export const MAX_SKILL_BYTES = 1_000_000;

/**
 * Why a project cannot have this agent configuration, in clauses without full stops; none when it can. Files that come
 * into a deployment's tree by upload are not checked there, so they are when they are copied.
 *
 * @param files all files of the configuration, by path in the tree; `size` in bytes.
 */
export function configProblems(files: Iterable<{ path: string; size: number }>): string[] {
  const problems = new Set<string>();
  const skills = new Map<string, { files: number; bytes: number }>();
  for (const { path, size } of files) {
    const [top, name = path] = path.split('/');
    if (top === SKILLS_FOLDER) {
      const { files: count, bytes } = skills.get(name) ?? { files: 0, bytes: 0 };
      skills.set(name, { files: count + 1, bytes: bytes + size });
    } else if (path !== INSTRUCTIONS_FILE) {
      problems.add(`${INSTRUCTIONS_FILE} is a directory`);
    } else if (size > MAX_INSTRUCTIONS_BYTES) {
      problems.add(`${INSTRUCTIONS_FILE} has ${size} bytes, more than ${MAX_INSTRUCTIONS_BYTES}`);
    }
  }
  if (skills.size > MAX_SKILLS) {
    problems.add(`there are ${skills.size} skills, more than ${MAX_SKILLS}`);
    return [...problems];
  }
  for (const [name, { files: count, bytes }] of skills) {
    if (count > MAX_SKILL_FILES) problems.add(`skill ${name} has ${count} files, more than ${MAX_SKILL_FILES}`);
    if (bytes > MAX_SKILL_BYTES) problems.add(`skill ${name} has ${bytes} bytes, more than ${MAX_SKILL_BYTES}`);
  }
  return [...problems];
}
