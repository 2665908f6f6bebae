import { posix } from 'node:path';
import { type Archive, openArchive } from '../archive.js';
import { TaskProblem, type TextAnswer, type TextTask } from '../tasks.js';
import { PACKAGE_RELATIONS, readXml, type XmlReader } from '../xml.js';
import { BoundedText } from './bounded-text.js';

const LIMITS = { entries: 10_000, unpackedBytes: 256 * 1024 ** 2 };
/**
 * Namespaces of the elements whose text is extracted: WordprocessingML, formulas and drawings, each in its transitional and
 * strict variant.
 */
const TEXT_NAMESPACES = new Set([
  'http://schemas.openxmlformats.org/wordprocessingml/2006/main',
  'http://purl.oclc.org/ooxml/wordprocessingml/main',
  'http://schemas.openxmlformats.org/officeDocument/2006/math',
  'http://purl.oclc.org/ooxml/officeDocument/math',
  'http://schemas.openxmlformats.org/drawingml/2006/main',
  'http://purl.oclc.org/ooxml/drawingml/main',
]);
const ROOT_RELATIONS = '_rels/.rels';
/** Maximum number of characters in a table row. A row is kept in memory until its end is read. */
const MAX_ROW_CHARACTERS = 16 * 1024 ** 2;

/**
 * Returns the text of a DOCX file in document order. Each paragraph is a line, and each table row is a line with tabs between
 * cells. Footnotes and endnotes come last. Headers, footers, comments, deleted text and field instructions are left out.
 */
export async function docxText(task: TextTask, signal?: AbortSignal): Promise<TextAnswer> {
  const archive = await openArchive(task.from, LIMITS);
  try {
    const main = await mainPart(archive, signal);
    const text = new BoundedText(task.maxBytes);
    const folder = posix.dirname(main);
    const notes = ['footnotes.xml', 'endnotes.xml'].map((name) => posix.join(folder, name));
    for (const part of [main, ...notes.filter((name) => archive.has(name))]) {
      await readXml(archive.read(part, signal), part, new ParagraphReader(text));
    }
    return { text: text.toString(), truncated: text.isCut, pages: null, sheets: null };
  } finally {
    archive.close();
  }
}

/** Returns the name of the main document part, which is not always `word/document.xml`. */
async function mainPart(archive: Archive, signal?: AbortSignal): Promise<string> {
  let main = 'word/document.xml';
  if (archive.has(ROOT_RELATIONS)) {
    await readXml(archive.read(ROOT_RELATIONS, signal), ROOT_RELATIONS, {
      namespaces: PACKAGE_RELATIONS,
      open: (name, { Type = '', Target }) => {
        if (name === 'Relationship' && Type.endsWith('/officeDocument') && Target !== undefined) {
          main = posix.join('.', Target.replaceAll('\\', '/').replace(/^\/+/, ''));
        }
      },
    });
  }
  if (!/^word\//i.test(main) || !archive.has(main))
    throw new TaskProblem('unreadable', 'The file is not a DOCX document');
  return main;
}

/** Table that is currently being read. */
interface Table {
  cells: string[];
  /** Text of the current cell. */
  cell: string;
}

/** Converts WordprocessingML to lines of text. */
class ParagraphReader implements XmlReader {
  private readonly tables: Table[] = [];
  /** Number of open elements whose text is extracted. */
  private texts = 0;
  private runs = 0;
  /** Number of characters in the cells of unfinished rows. */
  private pendingCharacters = 0;

  readonly namespaces = TEXT_NAMESPACES;

  constructor(private readonly output: BoundedText) {}

  open(name: string): void {
    if (name === 't') this.texts += 1;
    else if (name === 'r') this.runs += 1;
    else if (name === 'tbl') this.tables.push({ cells: [], cell: '' });
    else if (this.runs > 0 && name === 'tab') this.write('\t');
    else if (this.runs > 0 && (name === 'br' || name === 'cr')) this.write('\n');
    else if (this.runs > 0 && name === 'noBreakHyphen') this.write('-');
  }

  text(text: string): void {
    if (this.texts > 0) this.write(text);
  }

  close(name: string): void {
    const table = this.tables.at(-1);
    if (name === 't') this.texts -= 1;
    else if (name === 'r') this.runs -= 1;
    else if (name === 'p') this.write('\n');
    else if (name === 'tbl') this.tables.pop();
    else if (name === 'tc' && table !== undefined) {
      table.cells.push(table.cell.trim().replace(/\s+/g, ' '));
      table.cell = '';
    } else if (name === 'tr' && table !== undefined) {
      const row = table.cells.splice(0).join('\t');
      this.tables.pop();
      // A nested table becomes text in the outer cell.
      this.write(`${row}\n`);
      this.tables.push(table);
      if (this.tables.length === 1) this.pendingCharacters = 0;
    }
  }

  isDone(): boolean {
    return this.output.isCut;
  }

  private write(text: string): void {
    const table = this.tables.at(-1);
    if (table === undefined) {
      this.output.add(text);
      return;
    }
    this.pendingCharacters += text.length;
    if (this.pendingCharacters > MAX_ROW_CHARACTERS)
      throw new TaskProblem('unreadable', 'The DOCX has a table row that is too long');
    table.cell += text;
  }
}
