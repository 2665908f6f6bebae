import { posix } from 'node:path';
import { type Archive, openArchive } from './archive.js';
import { CellReader, type RowReader, unescapedText } from './sheet-cells.js';
import { TaskProblem } from './tasks.js';
import { type NamespaceOf, PACKAGE_RELATIONS, readXml } from './xml.js';

const LIMITS = { entries: 10_000, unpackedBytes: 2_048 * 1024 ** 2 };
/** Maximum number of shared strings, and maximum total number of their characters. All of them are kept in memory. */
const MAX_SHARED_TEXTS = 2_000_000;
const MAX_SHARED_CHARACTERS = 64 * 1024 ** 2;
/** Maximum length of a sheet name. Excel allows 31. */
const MAX_SHEET_NAME = 255;
const MAX_SHEETS = 1_000;
/** Maximum number of sheet names in an error message. */
const MAX_NAMED_SHEETS = 20;
const MAX_STYLES = 65_536;

/** SpreadsheetML namespaces, transitional and strict. */
const SPREADSHEET = new Set([
  'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
  'http://purl.oclc.org/ooxml/spreadsheetml/main',
]);
const RELATIONS = new Set([
  'http://schemas.openxmlformats.org/officeDocument/2006/relationships',
  'http://purl.oclc.org/ooxml/officeDocument/relationships',
]);

/** XLSX file. Formulas are not computed, and links and macros are ignored. */
export class Workbook {
  private texts: string[] | undefined;
  private dates: boolean[] | undefined;

  private constructor(
    private readonly archive: Archive,
    private readonly parts: ReadonlyMap<string, string>,
    private readonly textsPart: string | undefined,
    private readonly stylesPart: string | undefined,
    private readonly calculation: Calculation,
  ) {}

  /** Names of the worksheets in workbook order. */
  get sheets(): string[] {
    return [...this.parts.keys()];
  }

  /** Opens a local file. The caller must close it. @throws TaskProblem `unreadable` */
  static async open(path: string, signal?: AbortSignal): Promise<Workbook> {
    const archive = await openArchive(path, LIMITS);
    try {
      const [main] = (await relations(archive, '', signal)).filter(({ type }) => type === 'officeDocument');
      if (main === undefined || !archive.has(main.target))
        throw unreadable('The file is not an XLSX workbook. Save it as .xlsx in a spreadsheet program');
      return await Workbook.from(archive, main.target, signal);
    } catch (error) {
      archive.close();
      throw error;
    }
  }

  private static async from(archive: Archive, main: string, signal?: AbortSignal): Promise<Workbook> {
    const related = await relations(archive, main, signal);
    const targets = new Map(related.map((relation) => [relation.id, relation]));
    const parts = new Map<string, string>();
    const calculation = { startsIn1904: false, isDue: false };
    let root = '';
    await readXml(archive.read(main, signal), main, {
      namespaces: SPREADSHEET,
      open: (name, attributes, namespaceOf) => {
        root ||= name;
        if (name === 'workbookPr') calculation.startsIn1904 = isTrue(attributes['date1904']);
        if (name === 'calcPr') calculation.isDue = isTrue(attributes['fullCalcOnLoad']);
        if (name !== 'sheet') return;
        const id = Object.entries(attributes).find(([key]) => isRelationId(key, namespaceOf))?.[1] ?? '';
        const sheet = unescapedText(attributes['name'] ?? '');
        if (sheet.length > MAX_SHEET_NAME)
          throw unreadable(`The name of a sheet has more than ${MAX_SHEET_NAME} characters`);
        const { type = 'worksheet', target = MISSING_PART } = targets.get(id) ?? {};
        // Sheets of other types, such as charts, do not have cells.
        if (type === 'worksheet') parts.set(sheet, target);
        if (parts.size > MAX_SHEETS) throw unreadable(`The workbook has more than ${MAX_SHEETS} sheets`);
      },
    });
    if (root !== 'workbook')
      throw unreadable('The file is not an XLSX workbook. Save it as .xlsx in a spreadsheet program');
    const partOf = (partType: string): string | undefined =>
      related.find(({ type, target }) => type === partType && archive.has(target))?.target;
    return new Workbook(archive, parts, partOf('sharedStrings'), partOf('styles'), calculation);
  }

  /**
   * Reads a sheet and passes its rows to `reader`.
   *
   * @throws TaskProblem `unknown_sheet`, `unreadable`
   * @throws the signal's reason
   */
  async read(sheet: string, reader: RowReader, signal?: AbortSignal): Promise<void> {
    const part = this.parts.get(sheet);
    if (part === undefined) {
      const names = this.sheets.slice(0, MAX_NAMED_SHEETS).map((name) => JSON.stringify(name));
      throw new TaskProblem(
        'unknown_sheet',
        `There is no sheet ${JSON.stringify(sheet)}; the workbook has ${names.join(', ')}`,
      );
    }
    this.texts ??= this.textsPart === undefined ? [] : await sharedTexts(this.archive, this.textsPart, signal);
    this.dates ??= this.stylesPart === undefined ? [] : await dateStyles(this.archive, this.stylesPart, signal);
    if (part === MISSING_PART || !this.archive.has(part))
      throw unreadable(`The cells of the sheet ${JSON.stringify(sheet)} are missing from the workbook`);
    const { texts, dates, calculation } = this;
    const cells = new CellReader(SPREADSHEET, reader, { sheet, texts, dates, ...calculation });
    await readXml(this.archive.read(part, signal), part, cells);
    cells.finish();
  }

  /** Returns the names of the first few sheets that have cells. */
  async sheetsWithCells(signal?: AbortSignal): Promise<string[]> {
    const names: string[] = [];
    for (const sheet of this.sheets.slice(0, MAX_NAMED_SHEETS)) {
      const isNamed = (): boolean => names.at(-1) === sheet;
      const row = (): void => {
        if (!isNamed()) names.push(sheet);
      };
      await this.read(sheet, { row, isDone: isNamed, formulaText: () => '=' }, signal);
    }
    return names;
  }

  close(): void {
    this.archive.close();
  }
}

/** Workbook settings that affect cell values. */
interface Calculation {
  startsIn1904: boolean;
  /** Whether the workbook must be recalculated when it is opened. Stored results may then be placeholders. */
  isDue: boolean;
}

/** Target for a sheet whose relationship is missing. No part can have this name. */
const MISSING_PART = '';

const isTrue = (attribute: string | undefined): boolean => attribute === '1' || attribute === 'true';

function isRelationId(attribute: string, namespaceOf: NamespaceOf): boolean {
  const [prefix, name] = attribute.split(':');
  const namespace = namespaceOf(prefix!);
  return name === 'id' && (namespace === undefined || RELATIONS.has(namespace));
}

interface Relation {
  id: string;
  /** Last segment of the relationship type, such as `worksheet`. */
  type: string;
  /** Name of the target part. */
  target: string;
}

/** Returns the relationships of a part. If the part name is empty, returns the relationships of the package itself. */
async function relations(archive: Archive, part: string, signal?: AbortSignal): Promise<Relation[]> {
  const { dir, base } = posix.parse(part);
  const name = posix.join(dir, '_rels', `${base}.rels`);
  const internalRelations: Relation[] = [];
  if (!archive.has(name)) return internalRelations;
  await readXml(archive.read(name, signal), name, {
    namespaces: PACKAGE_RELATIONS,
    open: (element, { Id: id = '', Type = '', Target, TargetMode }) => {
      if (element !== 'Relationship' || Target === undefined || TargetMode === 'External') return;
      const path = Target.replaceAll('\\', '/');
      const target = path.startsWith('/') ? posix.join('.', path.slice(1)) : posix.join(dir, path);
      if (internalRelations.length < 2 * MAX_SHEETS)
        internalRelations.push({ id, type: Type.slice(Type.lastIndexOf('/') + 1), target });
    },
  });
  return internalRelations;
}

async function sharedTexts(archive: Archive, part: string, signal?: AbortSignal): Promise<string[]> {
  const texts: string[] = [];
  let characters = 0;
  let text = '';
  /** Escape sequences are replaced in each `t` element separately, because they cannot span elements. */
  let piece: string | undefined;
  let isReading = false;
  await readXml(archive.read(part, signal), part, {
    namespaces: SPREADSHEET,
    open: (name) => {
      if (name === 'si') text = '';
      // Skips phonetic readings, which follow the text.
      else if (name === 'rPh') isReading = true;
      else if (name === 't' && !isReading) piece = '';
    },
    text: (more) => {
      if (piece === undefined) return;
      characters += more.length;
      if (characters > MAX_SHARED_CHARACTERS) throw unreadable('The workbook has too many texts');
      piece += more;
    },
    close: (name) => {
      if (name === 't' && piece !== undefined) {
        text += unescapedText(piece);
        piece = undefined;
      } else if (name === 'rPh') isReading = false;
      else if (name === 'si' && texts.push(text) > MAX_SHARED_TEXTS)
        throw unreadable('The workbook has too many texts');
    },
  });
  return texts;
}

/** Returns, for each style, whether it displays a number as a date or time. */
async function dateStyles(archive: Archive, part: string, signal?: AbortSignal): Promise<boolean[]> {
  const formats = new Map<string, boolean>();
  const styles: boolean[] = [];
  let isInCells = false;
  await readXml(archive.read(part, signal), part, {
    namespaces: SPREADSHEET,
    open: (name, { numFmtId = '0', formatCode = '' }) => {
      if (formats.size + styles.length > MAX_STYLES) throw unreadable('The workbook has too many styles');
      if (name === 'numFmt') formats.set(numFmtId, isDateFormat(formatCode));
      else if (name === 'cellXfs') isInCells = true;
      else if (name === 'xf' && isInCells) styles.push(formats.get(numFmtId) ?? isBuiltInDate(Number(numFmtId)));
    },
    close: (name) => {
      if (name === 'cellXfs') isInCells = false;
    },
  });
  return styles;
}

/**
 * Returns whether a built-in format displays dates or times. This includes the East Asian formats but not 46, which is elapsed
 * time.
 */
const isBuiltInDate = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || id === 45 || id === 47 || (id >= 50 && id <= 58);

/** Returns whether a format displays dates. Elapsed time (`[h]:mm`) is a number of days, not a date. */
function isDateFormat(code: string): boolean {
  if (/\[(h+|m+|s+)\]/i.test(code)) return false;
  const bare = code.replace(/"[^"]*"?|\[[^\]]*\]?|\\.|_.|\*./g, '');
  return !/general/i.test(bare) && /[dmyhs]/i.test(bare);
}

const unreadable = (sentence: string): TaskProblem => new TaskProblem('unreadable', sentence);
