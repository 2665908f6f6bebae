/** Path of the agent's instructions in a deployment's tree, and in a project's copy of it. */
export const INSTRUCTIONS_FILE = 'AGENTS.md';

/** Folder of the skills in these trees, with a subfolder for each skill. */
export const SKILLS_FOLDER = 'skills';

/** Top-level names in a deployment's tree that are agent configuration. All other files are template files. */
export const AGENT_CONFIG_NAMES: readonly string[] = [INSTRUCTIONS_FILE, SKILLS_FOLDER];

export const MAX_INSTRUCTIONS_BYTES = 256 * 1024;
/** Maximum number of skills in a scope. Every turn reads a catalogue of all of them. */
export const MAX_SKILLS = 200;
export const MAX_SKILL_FILES = 200;
/** Maximum total size of a skill's files, in bytes. */
export const MAX_SKILL_BYTES = 1_000_000;

/**
 * Returns the reasons why a project cannot use this agent configuration, as phrases without a full stop. Returns an empty array
 * for a valid configuration. Uploads to a deployment's tree are not checked, so its files are checked when they are copied.
 *
 * @param files all files of the configuration by path in the tree, with `size` in bytes
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
