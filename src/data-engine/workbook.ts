import { posix } from 'node:path';
import { type Archive, openArchive } from './archive.js';
import { TaskProblem } from './tasks.js';
import { readXml, type XmlReader } from './xml.js';

/** A value of a cell, as it was stored; formulas have the value that was last computed. */
export type WorkbookCell =
  | string
  | number
  | boolean
  /** ISO 8601: `2026-01-31`, `2026-01-31T08:30:00`, `08:30:00`. */
  | { date: string }
  /** Such as `#DIV/0!`. */
  | { error: string };

/** Hears of the rows of a sheet that have a value, in their order. */
export interface RowReader {
  /** `number` as in the file, from 1. Cells without a value are undefined; there are none after the last value. */
  row(number: number, cells: (WorkbookCell | undefined)[]): void;
  /** True ends the reading. */
  isDone?(): boolean;
}

const LIMITS = { entries: 10_000, unpackedBytes: 2_048 * 1024 ** 2 };
/** Most texts, and characters of them, that cells share; all are in memory. */
const MAX_SHARED_TEXTS = 2_000_000;
const MAX_SHARED_CHARACTERS = 64 * 1024 ** 2;
/** What Excel can hold. */
const MAX_COLUMNS = 16_384;
const MAX_ROWS = 1_048_576;
const MAX_CELL_CHARACTERS = 1_000_000;
/** Excel takes 31. */
const MAX_SHEET_NAME = 255;
const MAX_SHEETS = 1_000;
const MAX_STYLES = 65_536;

/** An XLSX file. Nothing of it is computed: formulas, links and macros are not looked at. */
export class Workbook {
  private texts: string[] | undefined;
  private dates: boolean[] | undefined;

  private constructor(
    private readonly archive: Archive,
    private readonly parts: ReadonlyMap<string, string>,
    private readonly textsPart: string | undefined,
    private readonly stylesPart: string | undefined,
    private readonly startsIn1904: boolean,
  ) {}

  /** Names of the worksheets, in their order. */
  get sheets(): string[] {
    return [...this.parts.keys()];
  }

  /** Opens a local file; the caller closes it. @throws TaskProblem `unreadable` */
  static async open(path: string, signal?: AbortSignal): Promise<Workbook> {
    const archive = await openArchive(path, LIMITS);
    try {
      const [main] = (await relations(archive, '', signal)).filter(({ type }) => type === 'officeDocument');
      if (main === undefined || !archive.has(main.target)) throw unreadable('The file is no XLSX');
      return await Workbook.from(archive, main.target, signal);
    } catch (error) {
      archive.close();
      throw error;
    }
  }

  private static async from(archive: Archive, main: string, signal?: AbortSignal): Promise<Workbook> {
    const related = await relations(archive, main, signal);
    const targets = new Map(related.filter(({ type }) => type === 'worksheet').map(({ id, target }) => [id, target]));
    const parts = new Map<string, string>();
    let startsIn1904 = false;
    let root = '';
    await readXml(archive.read(main, signal), main, {
      open: (name, attributes) => {
        root ||= name;
        if (name === 'workbookPr') startsIn1904 = ['1', 'true'].includes(attributes['date1904'] ?? '');
        if (name !== 'sheet') return;
        const id = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1];
        const part = targets.get(id ?? '');
        const { name: sheet } = attributes;
        if (sheet !== undefined && sheet.length > MAX_SHEET_NAME)
          throw unreadable(`The name of a sheet has more than ${MAX_SHEET_NAME} characters`);
        if (part !== undefined && sheet !== undefined) parts.set(sheet, part);
        if (parts.size > MAX_SHEETS) throw unreadable(`The workbook has more than ${MAX_SHEETS} sheets`);
      },
    });
    if (root !== 'workbook') throw unreadable('The file is no XLSX');
    const partOf = (wanted: string): string | undefined =>
      related.find(({ type, target }) => type === wanted && archive.has(target))?.target;
    return new Workbook(archive, parts, partOf('sharedStrings'), partOf('styles'), startsIn1904);
  }

  /**
   * Reads a sheet.
   *
   * @throws TaskProblem `unknown_sheet`, `unreadable`
   * @throws the signal's reason
   */
  async read(sheet: string, reader: RowReader, signal?: AbortSignal): Promise<void> {
    const part = this.parts.get(sheet);
    if (part === undefined) {
      const names = this.sheets.slice(0, 20).map((name) => JSON.stringify(name));
      throw new TaskProblem('unknown_sheet', `There is no sheet ${JSON.stringify(sheet)}, but ${names.join(', ')}`);
    }
    this.texts ??= this.textsPart === undefined ? [] : await sharedTexts(this.archive, this.textsPart, signal);
    this.dates ??= this.stylesPart === undefined ? [] : await dateStyles(this.archive, this.stylesPart, signal);
    const { texts, dates, startsIn1904 } = this;
    await readXml(this.archive.read(part, signal), part, new CellReader(reader, { texts, dates, startsIn1904 }));
  }

  close(): void {
    this.archive.close();
  }
}

interface Relation {
  id: string;
  /** Last part of its type, such as `worksheet`. */
  type: string;
  /** Name of a part. */
  target: string;
}

/** What a part refers to; the empty name is the file's own. */
async function relations(archive: Archive, part: string, signal?: AbortSignal): Promise<Relation[]> {
  const { dir, base } = posix.parse(part);
  const name = posix.join(dir, '_rels', `${base}.rels`);
  const found: Relation[] = [];
  if (!archive.has(name)) return found;
  await readXml(archive.read(name, signal), name, {
    open: (element, { Id: id = '', Type = '', Target, TargetMode }) => {
      if (element !== 'Relationship' || Target === undefined || TargetMode === 'External') return;
      const target = Target.startsWith('/') ? posix.join('.', Target.slice(1)) : posix.join(dir, Target);
      if (found.length < 2 * MAX_SHEETS) found.push({ id, type: Type.slice(Type.lastIndexOf('/') + 1), target });
    },
  });
  return found;
}

async function sharedTexts(archive: Archive, part: string, signal?: AbortSignal): Promise<string[]> {
  const texts: string[] = [];
  let characters = 0;
  let current = '';
  let isText = false;
  let isReading = false;
  await readXml(archive.read(part, signal), part, {
    open: (name) => {
      if (name === 'si') current = '';
      // How a text is pronounced is beside the text.
      else if (name === 'rPh') isReading = true;
      else if (name === 't') isText = !isReading;
    },
    text: (text) => {
      if (!isText) return;
      characters += text.length;
      if (characters > MAX_SHARED_CHARACTERS) throw unreadable('The workbook has too many texts');
      current += text;
    },
    close: (name) => {
      if (name === 't') isText = false;
      else if (name === 'rPh') isReading = false;
      else if (name === 'si' && texts.push(current) > MAX_SHARED_TEXTS)
        throw unreadable('The workbook has too many texts');
    },
  });
  return texts;
}

/** By the index of a style: whether it shows a number as a date or time. */
async function dateStyles(archive: Archive, part: string, signal?: AbortSignal): Promise<boolean[]> {
  const formats = new Map<string, boolean>();
  const styles: boolean[] = [];
  let isInCells = false;
  await readXml(archive.read(part, signal), part, {
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

/** Dates and times of the standard, those of East Asian versions included; 46 is elapsed time. */
const isBuiltInDate = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || id === 45 || id === 47 || (id >= 50 && id <= 58);

/** Elapsed time (`[h]:mm`) is a number of days. */
function isDateFormat(code: string): boolean {
  if (/\[(h+|m+|s+)\]/i.test(code)) return false;
  const bare = code.replace(/"[^"]*"?|\[[^\]]*\]?|\\.|_.|\*./g, '');
  return !/general/i.test(bare) && /[dmyhs]/i.test(bare);
}

/** What cells refer to. */
interface Context {
  texts: readonly string[];
  dates: readonly boolean[];
  startsIn1904: boolean;
}

/** Turns SpreadsheetML into rows. */
class CellReader implements XmlReader {
  private number = 0;
  private cells: (WorkbookCell | undefined)[] = [];
  private column = 0;
  private type = 'n';
  private style = 0;
  private value = '';
  private isValue = false;
  private isReading = false;

  constructor(
    private readonly reader: RowReader,
    private readonly context: Context,
  ) {}

  open(name: string, attributes: Record<string, string>): void {
    switch (name) {
      case 'row':
        this.number = attributes['r'] === undefined ? this.number + 1 : Number(attributes['r']);
        if (!(this.number >= 1 && this.number <= MAX_ROWS)) throw unreadable('A sheet of the workbook is broken');
        this.cells = [];
        this.column = -1;
        break;
      case 'c':
        this.column = attributes['r'] === undefined ? this.column + 1 : columnOf(attributes['r']);
        if (!(this.column >= 0 && this.column < MAX_COLUMNS)) throw unreadable('A sheet of the workbook is broken');
        this.type = attributes['t'] ?? 'n';
        this.style = Number(attributes['s'] ?? 0);
        this.value = '';
        break;
      case 'rPh':
        this.isReading = true;
        break;
      case 'v':
        this.isValue = true;
        break;
      case 't':
        this.isValue = !this.isReading;
        break;
    }
  }

  text(text: string): void {
    if (!this.isValue) return;
    this.value += text;
    if (this.value.length > MAX_CELL_CHARACTERS) throw unreadable('A cell of the workbook is too long');
  }

  close(name: string): void {
    if (name === 'v' || name === 't') this.isValue = false;
    else if (name === 'rPh') this.isReading = false;
    else if (name === 'c') this.keep();
    else if (name === 'row' && this.cells.length > 0) this.reader.row(this.number, this.cells);
  }

  isDone(): boolean {
    return this.reader.isDone?.() ?? false;
  }

  private keep(): void {
    const value = this.convert();
    if (value === undefined || value === '') return;
    while (this.cells.length < this.column) this.cells.push(undefined);
    this.cells[this.column] = value;
  }

  private convert(): WorkbookCell | undefined {
    const { type, value, context } = this;
    if (value === '') return undefined;
    switch (type) {
      case 's':
        return context.texts[Number(value)];
      case 'b':
        return value === '1' || value === 'true';
      case 'e':
        return { error: value };
      case 'd':
        return { date: value };
      case 'n':
        return this.toNumber(Number(value));
      default:
        return value;
    }
  }

  private toNumber(number: number): WorkbookCell {
    if (!Number.isFinite(number)) throw unreadable('A sheet of the workbook is broken');
    const isDate = this.context.dates[this.style] === true;
    const date = isDate ? isoDate(number, this.context.startsIn1904) : undefined;
    return date === undefined ? number : { date };
  }
}

/** From 0: `C7` is in column 2. */
function columnOf(reference: string): number {
  let column = 0;
  for (const letter of /^[A-Z]{1,3}/.exec(reference)?.[0] ?? '') column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}

const DAY_SECONDS = 86_400;
/** The last day of 9999. */
const MAX_DAYS = 2_958_466;

/** A number of days since the workbook's beginning, to the second; undefined for what is no date. */
function isoDate(days: number, startsIn1904: boolean): string | undefined {
  if (days < 0 || days >= MAX_DAYS) return undefined;
  const seconds = Math.round(days * DAY_SECONDS);
  // Lotus 1-2-3 and everything since have a 29 February 1900, which is day 60.
  const shift = startsIn1904 ? 24_107 : days < 60 ? 25_568 : 25_569;
  const text = new Date((seconds - shift * DAY_SECONDS) * 1000).toISOString().slice(0, 19);
  if (days < 1) return text.slice(11);
  return seconds % DAY_SECONDS === 0 ? text.slice(0, 10) : text;
}

const unreadable = (sentence: string): TaskProblem => new TaskProblem('unreadable', sentence);
