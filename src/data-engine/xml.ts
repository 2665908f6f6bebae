import { TextDecoder } from 'node:util';
import { SaxesParser } from 'saxes';
import { TaskProblem } from './tasks.js';

/** What is told of an XML document while it is read. Names are without their prefixes: `w:tbl` is `tbl`. */
export interface XmlReader {
  open?(name: string, attributes: Record<string, string>): void;
  /** Text and CDATA; comments cut it into pieces. */
  text?(text: string): void;
  close?(name: string): void;
  /** Asked from time to time; true ends the reading. */
  isDone?(): boolean;
}

/** Most elements inside one another. */
const MAX_DEPTH = 1_000;
/** Most characters of a text or a tag, with the comments before it: the parser keeps each of them as a whole. */
const MAX_TOKEN_CHARACTERS = 4 * 1024 ** 2;

/**
 * Reads XML in UTF-8 or UTF-16 as a stream: what is kept in memory is bounded, whatever the document is. `part` names it in errors.
 *
 * There are no entities but the five of XML and those by number: a document type declaration is refused, so nothing can be
 * expanded or fetched.
 *
 * @throws TaskProblem `unreadable`
 */
export async function readXml(content: AsyncIterable<Buffer>, part: string, reader: XmlReader): Promise<void> {
  const problem = (what: string): TaskProblem => new TaskProblem('unreadable', `The part ${part} of the file ${what}`);
  // Handlers are properties of the parser: with more than these, V8 keeps them in a dictionary, which is five times slower.
  const parser = new SaxesParser({ xmlns: false, position: false });
  let depth = 0;
  /** Characters since the last text or tag. */
  let kept = 0;
  const endToken = (): void => {
    kept = 0;
  };
  parser.on('error', () => {
    throw problem('is no valid XML');
  });
  parser.on('doctype', () => {
    throw problem('has a document type declaration, which is not allowed');
  });
  parser.on('opentag', ({ name, attributes }) => {
    endToken();
    if ((depth += 1) > MAX_DEPTH) throw problem(`has more than ${MAX_DEPTH} elements inside one another`);
    reader.open?.(localName(name), attributes);
  });
  parser.on('closetag', ({ name }) => {
    endToken();
    depth -= 1;
    reader.close?.(localName(name));
  });
  for (const kind of ['text', 'cdata'] as const)
    parser.on(kind, (text) => {
      endToken();
      reader.text?.(text);
    });
  let decoder: TextDecoder | undefined;
  for await (const chunk of content) {
    decoder ??= new TextDecoder(encodingOf(chunk));
    const characters = decoder.decode(chunk, { stream: true });
    kept += characters.length;
    parser.write(characters);
    if (kept > MAX_TOKEN_CHARACTERS) throw problem('has a text or a tag that is too long');
    if (reader.isDone?.() === true) return;
  }
  parser.close();
}

/** By the byte order mark; the first piece of an entry has more than two bytes. */
function encodingOf(start: Buffer): string {
  const mark = start.subarray(0, 2).toString('hex');
  return mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8';
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);
