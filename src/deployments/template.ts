/** Where a deployment's tree, and a project's copy of it, keeps the agent's instructions. */
export const INSTRUCTIONS_FILE = 'AGENTS.md';

/** Folder of the skills in the same trees, one folder each. */
export const SKILLS_FOLDER = 'skills';

/** Names at the top of a deployment's tree that are agent configuration; all others are template files. */
export const AGENT_CONFIG_NAMES: readonly string[] = [INSTRUCTIONS_FILE, SKILLS_FOLDER];
