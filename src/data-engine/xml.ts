import { TextDecoder } from 'node:util';
import sax from 'sax';
import { TaskProblem } from './tasks.js';

/** What is told of an XML document while it is read. Names are without their prefixes: `w:tbl` is `tbl`. */
export interface XmlReader {
  open?(name: string, attributes: Record<string, string>): void;
  /** Text and CDATA; a long one comes in pieces. */
  text?(text: string): void;
  close?(name: string): void;
  /** Asked from time to time; true ends the reading. */
  isDone?(): boolean;
}

/** Most elements inside one another. */
const MAX_DEPTH = 1_000;

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
  // Its position is what makes the parser look how much it has kept.
  const options = { position: true, strictEntities: true };
  const parser = sax.parser(true, options);
  let depth = 0;
  parser.onerror = () => {
    throw problem('is no valid XML');
  };
  parser.ondoctype = () => {
    throw problem('has a document type declaration, which is not allowed');
  };
  parser.onopentag = ({ name, attributes }) => {
    if ((depth += 1) > MAX_DEPTH) throw problem(`has more than ${MAX_DEPTH} elements inside one another`);
    reader.open?.(localName(name), attributes as Record<string, string>);
  };
  parser.onclosetag = (name) => {
    depth -= 1;
    reader.close?.(localName(name));
  };
  parser.ontext = parser.oncdata = (text) => reader.text?.(text);
  let decoder: TextDecoder | undefined;
  for await (const chunk of content) {
    decoder ??= new TextDecoder(encodingOf(chunk));
    parser.write(decoder.decode(chunk, { stream: true }));
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
