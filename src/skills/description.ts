import { type Frontmatter, FrontmatterError, MAX_FRONTMATTER_BYTES, readFrontmatter } from './frontmatter.js';

/** As much of a SKILL.md as its description is looked for in: the longest frontmatter, and some text. */
export const HEAD_BYTES = MAX_FRONTMATTER_BYTES + 8 * 1024;
/** Longest description that is taken from the text. */
const MAX_LINE_LENGTH = 1024;

/**
 * What a catalogue says of a skill: the frontmatter's description, else the first line of text, else nothing. A SKILL.md
 * that came by upload was not checked; one with a faulty frontmatter has no description.
 *
 * @param main a SKILL.md, of which the first {@link HEAD_BYTES} bytes are enough.
 */
export function describeSkill(main: string): string {
  const { description, body } = frontmatterOf(Buffer.from(main).subarray(0, HEAD_BYTES).toString());
  const said = description?.trim();
  if (said !== undefined && said !== '') return said;
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
