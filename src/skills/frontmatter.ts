import { isMap, LineCounter, parseDocument, visit, type YAMLError } from 'yaml';

const MAX_FRONTMATTER_LENGTH = 64 * 1024;
const OPENING = /^\uFEFF?---[ \t]*\r?\n/;
const CLOSING = /^---[ \t]*\r?$/m;

/** Frontmatter that a skill must not have; the message says line and reason. */
export class FrontmatterError extends Error {
  constructor(line: number, reason: string) {
    super(`line ${line}: ${reason}`);
  }
}

export interface Frontmatter {
  name?: string;
  description?: string;
  /** What follows the frontmatter. */
  body: string;
}

/**
 * Reads the optional YAML frontmatter of a SKILL.md: core schema, no tags, anchors or aliases, at most 64 kB.
 *
 * @throws FrontmatterError with the line in the file, counted from 1.
 */
export function readFrontmatter(text: string): Frontmatter {
  const opening = OPENING.exec(text)?.[0];
  if (opening === undefined) return { body: text.replace(/^\uFEFF/, '') };
  const rest = text.slice(opening.length);
  const closing = CLOSING.exec(rest);
  if (closing === null) throw new FrontmatterError(1, 'the frontmatter is not closed by a line ---');
  if (Buffer.byteLength(rest.slice(0, closing.index)) > MAX_FRONTMATTER_LENGTH) {
    throw new FrontmatterError(1, 'the frontmatter is larger than 64 kB');
  }
  const values = readMapping(rest.slice(0, closing.index));
  return {
    ...optionalText(values, 'name'),
    ...optionalText(values, 'description'),
    body: rest.slice(closing.index + closing[0].length),
  };
}

type Values = Map<string, { value: unknown; line: number }>;

function readMapping(yaml: string): Values {
  const lines = new LineCounter();
  // The file's first line is the opening ---.
  const lineAt = (offset: number): number => lines.linePos(offset).line + 1;
  const document = parseDocument(yaml, { lineCounter: lines, schema: 'core', version: '1.2', prettyErrors: false, uniqueKeys: true });
  const [problem]: YAMLError[] = [...document.errors, ...document.warnings];
  if (problem !== undefined) throw new FrontmatterError(lineAt(problem.pos[0]), problem.message);
  visit(document, {
    Alias: (_, { range }) => {
      throw new FrontmatterError(lineAt(range?.[0] ?? 0), 'aliases are not allowed');
    },
    Node: (_, node) => {
      if ('anchor' in node && node.anchor !== undefined) throw new FrontmatterError(lineAt(node.range?.[0] ?? 0), 'anchors are not allowed');
      if (node.tag !== undefined) throw new FrontmatterError(lineAt(node.range?.[0] ?? 0), 'tags are not allowed');
    },
  });
  if (document.contents === null) return new Map();
  if (!isMap(document.contents)) throw new FrontmatterError(2, 'the frontmatter is not a mapping');
  return new Map(
    document.contents.items.map(({ key, value }) => {
      const { value: name, range } = key as { value: unknown; range?: [number, number, number] };
      return [String(name), { value: (value as { value?: unknown } | null)?.value, line: lineAt(range?.[0] ?? 0) }];
    }),
  );
}

function optionalText<Key extends string>(values: Values, key: Key): { [K in Key]?: string } {
  const found = values.get(key);
  if (found === undefined || found.value === null) return {};
  if (typeof found.value !== 'string') throw new FrontmatterError(found.line, `${key} is not a string`);
  return { [key]: found.value } as { [K in Key]?: string };
}
