import { type Frontmatter, FrontmatterError, MAX_FRONTMATTER_BYTES, readFrontmatter } from './frontmatter.js';

/**
 * Number of bytes at the start of a SKILL.md that may contain its description: the longest frontmatter and the beginning of the
 * body.
 */
export const HEAD_BYTES = MAX_FRONTMATTER_BYTES + 8 * 1024;
/** Maximum length of a description that is taken from the body, in characters. */
const MAX_LINE_LENGTH = 1024;

/**
 * Returns the description of a skill for the catalogue: the description in the frontmatter, otherwise the first line of the
 * body, otherwise an empty string. An uploaded SKILL.md is not validated. If its frontmatter is invalid, the description is
 * empty.
 *
 * @param main contents of a SKILL.md, or at least the first {@link HEAD_BYTES} bytes
 */
export function describeSkill(main: string): string {
  const { description, body } = frontmatterOf(Buffer.from(main).subarray(0, HEAD_BYTES).toString());
  const trimmed = description?.trim();
  if (trimmed !== undefined && trimmed !== '') return trimmed;
  const line = body.split(/\r?\n/).find((candidate) => candidate.trim() !== '') ?? '';
  return line
    .replace(/^\s*#+\s*/, '')
    .trim()
    .slice(0, MAX_LINE_LENGTH)
    .toWellFormed();
}

function frontmatterOf(head: string): Frontmatter {
  try {
    return readFrontmatter(head);
  } catch (error) {
    if (error instanceof FrontmatterError) return { body: '' };
    throw error;
  }
}
