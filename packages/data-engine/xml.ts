import { TextDecoder } from 'node:util';
import { SaxesParser } from 'saxes';
import { TaskProblem } from './tasks.js';

/** Returns the namespace of an attribute's prefix at the current element. */
export type NamespaceOf = (prefix: string) => string | undefined;

/** Receives the elements and text of an XML document. Element names are passed without their prefix: `w:tbl` becomes `tbl`. */
export interface XmlReader {
  /**
   * Namespaces whose elements are reported. Elements without a namespace are always reported. Elements in other namespaces are
   * skipped, but their child elements are not.
   */
  readonly namespaces: ReadonlySet<string>;
  open?(name: string, attributes: Record<string, string>, namespaceOf: NamespaceOf): void;
  /** Receives text and CDATA. Comments split text into several calls. */
  text?(text: string): void;
  close?(name: string): void;
  /** Returns true to stop reading. Called repeatedly while reading. */
  isDone?(): boolean;
}

/** Namespaces of the relationships between the parts of an office file. */
export const PACKAGE_RELATIONS: ReadonlySet<string> = new Set([
  'http://schemas.openxmlformats.org/package/2006/relationships',
]);

/** Maximum nesting depth of elements. */
const MAX_DEPTH = 1_000;
/**
 * Maximum number of characters in a text node or tag, including the comments before it. The parser keeps the whole node in
 * memory.
 */
const MAX_TOKEN_CHARACTERS = 4 * 1024 ** 2;

/** Maximum number of namespaces in scope, and of cached element names. */
const MAX_NAMES = 1_000;

/** Namespaces in scope, and the local names of the elements seen in this scope. */
interface Scope {
  depth: number;
  namespaces: ReadonlyMap<string, string>;
  /** Local names by qualified name. Null for elements that are not reported. */
  names: Map<string, string | null>;
}

const COMPATIBILITY = 'http://schemas.openxmlformats.org/markup-compatibility/2006';
/** Sentinel name of a `Fallback`, which repeats its `Choice` for older programs. */
const FALLBACK = '#fallback';

/**
 * Streams UTF-8 or UTF-16 XML with bounded memory. `part` is the name used in error messages.
 *
 * A document type declaration is rejected, so entities cannot expand or fetch anything. The content of a markup compatibility
 * `Fallback` is skipped.
 *
 * @throws TaskProblem `unreadable`
 */
export async function readXml(content: AsyncIterable<Buffer>, part: string, reader: XmlReader): Promise<void> {
  const problem = (reason: string): TaskProblem =>
    new TaskProblem('unreadable', `The part ${part} of the file ${reason}`);
  // The parser stores handlers as properties. With more handlers, V8 would convert the parser to dictionary mode, which is five
  // times slower.
  const parser = new SaxesParser({ xmlns: false, position: false });
  const scopes: Scope[] = [{ depth: 0, namespaces: new Map(), names: new Map() }];
  const nameOf = (qualified: string): string | null => {
    const { namespaces, names } = scopes.at(-1)!;
    let name = names.get(qualified);
    if (name === undefined) {
      name = localName(qualified, namespaces, reader.namespaces);
      if (names.size < MAX_NAMES) names.set(qualified, name);
    }
    return name;
  };
  const namespaceOf: NamespaceOf = (prefix) => scopes.at(-1)!.namespaces.get(prefix);
  let depth = 0;
  let fallbacks = 0;
  /** Number of characters since the last text node or tag. */
  let tokenCharacters = 0;
  const endToken = (): void => {
    tokenCharacters = 0;
  };
  parser.on('error', () => {
    throw problem('is not valid XML');
  });
  parser.on('doctype', () => {
    throw problem('has a document type declaration, which is not allowed');
  });
  parser.on('opentag', ({ name: qualified, attributes }) => {
    endToken();
    if ((depth += 1) > MAX_DEPTH) throw problem(`has more than ${MAX_DEPTH} nested elements`);
    const namespaces = declaredNamespaces(attributes, scopes.at(-1)!.namespaces);
    if (namespaces !== undefined && namespaces.size > MAX_NAMES) throw problem(`has more than ${MAX_NAMES} namespaces`);
    if (namespaces !== undefined) scopes.push({ depth, namespaces, names: new Map() });
    const name = nameOf(qualified);
    if (name === FALLBACK) fallbacks += 1;
    else if (name !== null && fallbacks === 0) reader.open?.(name, attributes, namespaceOf);
  });
  parser.on('closetag', ({ name: qualified }) => {
    endToken();
    const name = nameOf(qualified);
    if (scopes.at(-1)!.depth === depth) scopes.pop();
    depth -= 1;
    if (name === FALLBACK) fallbacks -= 1;
    else if (name !== null && fallbacks === 0) reader.close?.(name);
  });
  for (const kind of ['text', 'cdata'] as const)
    parser.on(kind, (text) => {
      endToken();
      if (fallbacks === 0) reader.text?.(text);
    });
  let decoder: TextDecoder | undefined;
  const decode = (chunk?: Buffer): string => {
    try {
      return decoder!.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw problem(`is not ${decoder!.encoding.toUpperCase()}, although it declares this encoding`);
    }
  };
  for await (const chunk of content) {
    decoder ??= decoderOf(chunk);
    if (decoder === undefined) throw problem('has an unknown encoding. Save the file again in another program');
    const characters = decode(chunk);
    tokenCharacters += characters.length;
    parser.write(characters);
    if (tokenCharacters > MAX_TOKEN_CHARACTERS) throw problem('has a text or a tag that is too long');
    if (reader.isDone?.() === true) return;
  }
  if (decoder !== undefined) parser.write(decode());
  parser.close();
}

/**
 * Returns the decoder for a part, based on its byte order mark or XML declaration. Returns undefined if the declared encoding
 * is unknown.
 */
function decoderOf(start: Buffer): TextDecoder | undefined {
  const mark = start.subarray(0, 2).toString('hex');
  const declared = /^(?:\xef\xbb\xbf)?<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)/.exec(
    start.toString('latin1', 0, 200),
  )?.[1];
  let encoding = 'utf-8';
  if (mark === 'fffe' || mark === '3c00') encoding = 'utf-16le';
  else if (mark === 'feff' || mark === '003c') encoding = 'utf-16be';
  // A declaration that is readable as ASCII cannot be UTF-16, even if it says so.
  else if (declared !== undefined && !/^utf-?16/i.test(declared)) encoding = declared;
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch {
    return undefined;
  }
}

/** Returns the namespaces in scope for an element, or undefined if the element declares no namespaces. */
function declaredNamespaces(
  attributes: Record<string, string>,
  outer: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> | undefined {
  let namespaces: Map<string, string> | undefined;
  for (const key in attributes)
    if (key === 'xmlns' || key.startsWith('xmlns:'))
      (namespaces ??= new Map(outer)).set(key.slice('xmlns:'.length), attributes[key]!);
  return namespaces;
}

function localName(
  qualified: string,
  namespaces: ReadonlyMap<string, string>,
  reported: ReadonlySet<string>,
): string | null {
  const colon = qualified.indexOf(':');
  const name = qualified.slice(colon + 1);
  const namespace = namespaces.get(qualified.slice(0, Math.max(colon, 0)));
  if (namespace === COMPATIBILITY && name === 'Fallback') return FALLBACK;
  const isReported = namespace === undefined || namespace === '' ? colon < 0 : reported.has(namespace);
  return isReported ? name : null;
}
