import { isAlias, isMap, isScalar, LineCounter, type Node, parseDocument, visit, type YAMLError } from 'yaml';
import { TooComplex, assertSimple } from './yaml-bounds.js';

/** Maximum size of the frontmatter between its `---` lines, in bytes of UTF-8. */
export const MAX_FRONTMATTER_BYTES = 64 * 1024;
const OPENING = /^\uFEFF?---[ \t]*\r?\n/;
const CLOSING = /(?<=^|\n)---[ \t]*\r?(?=\n|$)/;
const MAX_REASON_LENGTH = 300;

/** Thrown for invalid frontmatter. The message contains the line number and the reason. */
export class FrontmatterError extends Error {
  constructor(line: number, reason: string) {
    super(`line ${line}: ${reason.slice(0, MAX_REASON_LENGTH).toWellFormed()}`);
  }
}

export interface Frontmatter {
  name?: string;
  description?: string;
  /** Text after the frontmatter. */
  body: string;
}

/**
 * Reads the optional frontmatter of a SKILL.md. The YAML uses the core schema and cannot contain tags, anchors, aliases or
 * duplicate keys. If `skill` is given, a name in the frontmatter must equal it.
 *
 * @throws FrontmatterError with the one-based line number in the file
 */
export function readFrontmatter(text: string, skill?: string): Frontmatter {
  const opening = OPENING.exec(text)?.[0];
  if (opening === undefined) return { body: text.replace(/^\uFEFF/, '') };
  const rest = text.slice(opening.length);
  const closing = CLOSING.exec(rest);
  if (closing === null) throw new FrontmatterError(1, 'the frontmatter has no closing line ---');
  const yaml = rest.slice(0, closing.index);
  if (Buffer.byteLength(yaml) > MAX_FRONTMATTER_BYTES) {
    throw new FrontmatterError(1, `the frontmatter has more than ${MAX_FRONTMATTER_BYTES} bytes`);
  }
  const values = readMapping(yaml);
  const name = textOf(values, 'name');
  if (skill !== undefined && name !== undefined && name !== skill) {
    const line = values.get('name')?.line ?? 1;
    throw new FrontmatterError(line, `the name is ${JSON.stringify(name)}, but the skill is ${skill}`);
  }
  const description = textOf(values, 'description');
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    body: rest.slice(closing.index + closing[0].length),
  };
}

type Values = Map<string, { value: unknown; line: number }>;

function readMapping(yaml: string): Values {
  const lines = new LineCounter();
  // Adds 1, because the first line of the file is the opening `---`.
  const lineAt = (offset: number): number => lines.linePos(offset).line + 1;
  assertParsable(yaml);
  const document = parseDocument(yaml, {
    lineCounter: lines,
    schema: 'core',
    version: '1.2',
    prettyErrors: false,
    // Disabled because the parser would compare every key with every other key. `refusedIn` checks for duplicates instead.
    uniqueKeys: false,
  });
  const [problem]: YAMLError[] = [...document.errors, ...document.warnings];
  if (problem !== undefined) throw new FrontmatterError(lineAt(problem.pos[0]), reasonOf(problem));
  visit(document, {
    Node: (_, node) => {
      const refused = refusedIn(node);
      if (refused !== undefined) throw new FrontmatterError(lineAt(refused.at?.[0] ?? 0), refused.reason);
    },
  });
  if (document.contents === null) return new Map();
  if (!isMap(document.contents)) throw new FrontmatterError(2, 'the frontmatter is not a mapping');
  return new Map(
    document.contents.items.flatMap(({ key, value }) =>
      isScalar(key)
        ? [[String(key.value), { value: isScalar(value) ? value.value : value, line: lineAt(key.range[0]) }]]
        : [],
    ),
  );
}

function assertParsable(yaml: string): void {
  try {
    assertSimple(yaml);
  } catch (error) {
    if (!(error instanceof TooComplex)) throw error;
    throw new FrontmatterError(yaml.slice(0, error.offset).split('\n').length + 1, error.message);
  }
}

/** Returns the parser's message, without references to its API. */
function reasonOf({ code, message }: YAMLError): string {
  if (code === 'MULTIPLE_DOCS') return 'the frontmatter contains more than one YAML document';
  if (code === 'TAG_RESOLVE_FAILED') return 'tags are not allowed';
  const reason = message.charAt(0).toLowerCase() + message.slice(1);
  return code === 'BLOCK_AS_IMPLICIT_KEY' ? `${reason}; put text that contains ": " in quotes` : reason;
}

/** Returns the reason why a YAML node is not allowed in frontmatter, or undefined. */
function refusedIn(node: Node): { reason: string; at: Node['range'] } | undefined {
  const at = node.range;
  if (isAlias(node)) return { reason: 'aliases are not allowed', at };
  if ('anchor' in node && node.anchor !== undefined) return { reason: 'anchors are not allowed', at };
  if (node.tag !== undefined) return { reason: 'tags are not allowed', at };
  if (!isMap(node)) return undefined;
  const keys = new Set<unknown>();
  for (const { key } of node.items) {
    if (!isScalar(key)) continue;
    if (keys.has(key.value)) return { reason: `the key ${JSON.stringify(key.value)} appears twice`, at: key.range };
    keys.add(key.value);
  }
  return undefined;
}

function textOf(values: Values, key: string): string | undefined {
  const entry = values.get(key);
  if (entry === undefined || entry.value === null) return undefined;
  if (typeof entry.value !== 'string') throw new FrontmatterError(entry.line, `${key} is not a string`);
  return entry.value;
}
