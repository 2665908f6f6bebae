import { MAX_DIGITS } from './limits.js';
import { TaskProblem } from './tasks.js';
import type { XmlReader } from './xml.js';

/** Stored value of a cell. For a formula, this is the last computed value. */
export type WorkbookCell =
  /** Text, or an integer with more digits than a double holds exactly. */
  | string
  | number
  | boolean
  /** Date or time in ISO 8601: `2026-01-31`, `2026-01-31T08:30:00`, `08:30:00`. */
  | { date: string }
  /** Excel error such as `#DIV/0!`. */
  | { error: string };

/** Receives the rows of a sheet that contain a value, in sheet order. */
export interface RowReader {
  /**
   * Receives a row. `number` is the one-based row number in the file. Empty cells are undefined. Trailing empty cells are
   * omitted.
   */
  row(number: number, cells: (WorkbookCell | undefined)[]): void;
  /** Returns true to stop reading. */
  isDone?(): boolean;
  /**
   * Returns the value to use for a formula without a stored result. If this function is missing, such formulas are rejected.
   */
  formulaText?(formula: string): string;
}

/** Excel's limits. */
const MAX_COLUMNS = 16_384;
const MAX_ROWS = 1_048_576;
const MAX_CELL_CHARACTERS = 1_000_000;
const SAVE_AGAIN = 'Open the file in a spreadsheet program, save it and upload it again';

/** Workbook data that cells refer to, and the sheet name for error messages. */
export interface CellContext {
  sheet: string;
  texts: readonly string[];
  /** Whether a style shows numbers as dates, by style index. */
  dates: readonly boolean[];
  startsIn1904: boolean;
  isDue: boolean;
}

/** Converts SpreadsheetML into rows. */
export class CellReader implements XmlReader {
  private number = 0;
  private cells: (WorkbookCell | undefined)[] = [];
  private column = 0;
  private type = 'n';
  private style = 0;
  /** Contents of the `v`, `is` and `f` elements. Undefined if the element is missing. */
  private value: string | undefined;
  private inline: string | undefined;
  private formula: string | undefined;
  /** Text of the current element. */
  private content: string | undefined;
  private isReading = false;
  /** First formula with the result 0, which may be a placeholder, and whether any other formula has a result. */
  private placeholder: string | undefined;
  private hasResults = false;

  constructor(
    readonly namespaces: ReadonlySet<string>,
    private readonly reader: RowReader,
    private readonly context: CellContext,
  ) {}

  open(name: string, attributes: Record<string, string>): void {
    switch (name) {
      case 'row':
        this.number = this.numberOf(attributes['r']);
        this.cells = [];
        this.column = -1;
        break;
      case 'c':
        this.column = attributes['r'] === undefined ? this.column + 1 : columnOf(attributes['r']);
        if (!(this.column >= 0 && this.column < MAX_COLUMNS))
          throw this.problem(
            `has a cell with the reference ${JSON.stringify(attributes['r'])} in row ${this.number}. Use A1 to XFD1048576`,
          );
        this.type = attributes['t'] ?? 'n';
        this.style = Number(attributes['s'] ?? 0);
        this.value = this.inline = this.formula = undefined;
        break;
      case 'rPh':
        this.isReading = true;
        break;
      case 'is':
        this.inline = '';
        break;
      case 'v':
      case 'f':
        this.content = '';
        break;
      case 't':
        if (this.inline !== undefined && !this.isReading) this.content = '';
        break;
    }
  }

  text(text: string): void {
    if (this.content === undefined) return;
    this.content += text;
    if (this.content.length > MAX_CELL_CHARACTERS) throw this.cellProblem('is too long');
  }

  close(name: string): void {
    if (name === 'rPh') this.isReading = false;
    else if (name === 'c') this.storeCell();
    else if (name === 'row' && this.cells.length > 0) this.reader.row(this.number, this.cells);
    if (this.content === undefined) return;
    if (name === 'v') this.value = this.content;
    else if (name === 'f') this.formula = this.content;
    else if (name === 't') this.inline += unescapedText(this.content);
    else return;
    this.content = undefined;
    if ((this.inline?.length ?? 0) > MAX_CELL_CHARACTERS) throw this.cellProblem('is too long');
  }

  isDone(): boolean {
    return this.reader.isDone?.() ?? false;
  }

  /**
   * Checks the formulas in the sheet after its last row.
   * @throws TaskProblem `unreadable` if all formula results may be placeholders
   */
  finish(): void {
    if (this.placeholder === undefined || this.hasResults || this.reader.formulaText !== undefined) return;
    throw uncomputed(`Formulas such as ${this.placeholder} in the sheet ${this.sheetName} were never calculated`);
  }

  /**
   * Returns the number of a row. Rejects rows that are not in ascending order, because {@link RowReader} relies on this order.
   */
  private numberOf(reference: string | undefined): number {
    const number = reference === undefined ? this.number + 1 : Number(reference);
    if (!(Number.isInteger(number) && number >= 1 && number <= MAX_ROWS))
      throw this.problem('has a row without a valid number');
    if (number > this.number) return number;
    throw this.problem(`has row ${number} after row ${this.number}. ${SAVE_AGAIN}`, { row: number });
  }

  private storeCell(): void {
    const value = this.convert();
    if (value === undefined || value === '') return;
    if (this.cells[this.column] !== undefined) throw this.cellProblem(`occurs twice. ${SAVE_AGAIN}`);
    while (this.cells.length < this.column) this.cells.push(undefined);
    this.cells[this.column] = value;
  }

  private convert(): WorkbookCell | undefined {
    const { type, value, inline, formula, context } = this;
    // If a cell has both inline text and a value, the inline text is used only if the cell type is `inlineStr`.
    const isInline = inline !== undefined && (type === 'inlineStr' || value === undefined);
    const stored = isInline ? inline : value;
    if (formula !== undefined) {
      const isComputed = stored !== undefined && (stored !== '' || type === 'str');
      if (!isComputed || this.isPlaceholder(stored)) {
        const answer = this.reader.formulaText?.(formula);
        if (answer !== undefined) return answer;
        if (!isComputed) throw uncomputed(`${this.cellName} has a formula without a stored result`);
      }
    }
    if (stored === undefined || stored === '') return undefined;
    if (isInline) return stored;
    switch (type) {
      case 's': {
        const text = context.texts[Number(stored)];
        if (text === undefined)
          throw this.cellProblem('refers to a text that is missing from the workbook. Save the workbook again');
        return text;
      }
      case 'b':
        if (/^\s*(?:1|true)\s*$/.test(stored)) return true;
        if (/^\s*(?:0|false)\s*$/.test(stored)) return false;
        throw this.cellProblem(`is neither true nor false, but ${JSON.stringify(stored)}`);
      case 'e':
        return { error: stored };
      case 'd':
        return { date: stored };
      case 'n':
        return stored.trim() === '' ? undefined : this.toNumber(stored.trim());
      case 'str':
      case 'inlineStr':
        return unescapedText(stored);
      default:
        throw this.cellProblem(`has the unknown type ${JSON.stringify(type)}`);
    }
  }

  /**
   * Returns true if a stored result may be a placeholder. Some programs do not compute formulas. They store 0 and request a
   * recalculation when the file is opened.
   */
  private isPlaceholder(stored: string | undefined): boolean {
    if (!this.context.isDue || this.type !== 'n' || Number(stored) !== 0) {
      this.hasResults = true;
      return false;
    }
    this.placeholder ??= this.reference;
    return true;
  }

  private toNumber(text: string): WorkbookCell {
    const number = Number(text);
    if (!NUMBER.test(text) || !Number.isFinite(number))
      throw this.cellProblem(`is not a number, but ${JSON.stringify(text)}`);
    const isDate = this.context.dates[this.style] === true;
    const date = isDate ? isoDate(text, this.context.startsIn1904) : undefined;
    if (date !== undefined) return { date };
    return LONG_NUMBER.test(text) ? text : number;
  }

  private get reference(): string {
    return `${columnName(this.column)}${this.number}`;
  }

  private get sheetName(): string {
    return JSON.stringify(this.context.sheet);
  }

  private get cellName(): string {
    return `Cell ${this.reference} of the sheet ${this.sheetName}`;
  }

  private problem(reason: string, place: { row?: number } = {}): TaskProblem {
    return new TaskProblem('unreadable', `The sheet ${this.sheetName} ${reason}`, place);
  }

  private cellProblem(reason: string): TaskProblem {
    const place = { row: this.number, column: columnName(this.column) };
    return new TaskProblem('unreadable', `${this.cellName} ${reason}`, place);
  }
}

const uncomputed = (sentence: string): TaskProblem => new TaskProblem('unreadable', `${sentence}. ${SAVE_AGAIN}`);

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
/** Number whose integer part has more digits than a double holds exactly. */
const LONG_NUMBER = new RegExp(`^[+-]?0*[1-9]\\d{${MAX_DIGITS},}(?:\\.\\d*)?$`);

/**
 * Replaces the escape sequences of the format. `_x000D_` is a carriage return and `_x005F_` is an underscore. NUL becomes U+FFFD.
 */
export const unescapedText = (text: string): string =>
  text.includes('_x')
    ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(parseInt(code, 16) || 0xfffd))
    : text;

/** Returns the zero-based column index of a cell reference, such as 2 for `C7`. */
function columnOf(reference: string): number {
  let column = 0;
  for (const letter of /^[A-Z]{1,3}/.exec(reference.toUpperCase())?.[0] ?? '')
    column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}

/** Inverse of {@link columnOf}. */
const columnName = (column: number): string =>
  column < 0 ? '' : columnName(Math.floor(column / 26) - 1) + String.fromCharCode(65 + (column % 26));

const DAY_SECONDS = 86_400;
/** Day number of 1 January 10000, in the 1900 calendar. */
const MAX_DAYS = 2_958_466;
/** Days from the start of the 1900 calendar to the start of the 1904 calendar. */
const DAYS_TO_1904 = 1462;

/**
 * Day number of 29 February 1900, a nonexistent day that spreadsheets keep for compatibility with Lotus 1-2-3. A column that
 * contains it becomes text.
 */
const LEAP_DAY_1900 = 60;

/**
 * Number of decimal places that a fraction of a day needs to represent milliseconds. With fewer decimal places, the
 * milliseconds are only a rounding error.
 */
const DECIMALS_OF_MILLISECONDS = 8;

/**
 * Converts a number of days since the start of the workbook's calendar to ISO 8601. Returns undefined if it is outside the
 * calendar.
 */
function isoDate(stored: string, startsIn1904: boolean): string | undefined {
  const days = Number(stored);
  const last = startsIn1904 ? MAX_DAYS - DAYS_TO_1904 : MAX_DAYS;
  if (days < 0 || days >= last) return undefined;
  const unit = decimalsOf(stored) < DECIMALS_OF_MILLISECONDS ? 1000 : 1;
  // At both ends of the calendar, a time just before midnight must not roll over to the next day.
  const end = (days < 1 ? 1 : last) * DAY_SECONDS * 1000 - unit;
  const time = Math.min(end, Math.round((days * DAY_SECONDS * 1000) / unit) * unit);
  const day = Math.floor(time / (DAY_SECONDS * 1000));
  const shift = startsIn1904 ? 24_107 : day <= LEAP_DAY_1900 ? 25_568 : 25_569;
  const iso = new Date(time - shift * DAY_SECONDS * 1000).toISOString().replace(/(?:\.0+)?Z$/, '');
  const text = !startsIn1904 && day === LEAP_DAY_1900 ? `1900-02-29${iso.slice(10)}` : iso;
  if (days < 1) return text.slice(11);
  return time % (DAY_SECONDS * 1000) === 0 ? text.slice(0, 10) : text;
}

/** Returns the number of decimal places that a number has when written without an exponent. */
function decimalsOf(number: string): number {
  const [digits = '', exponent = '0'] = number.toLowerCase().split('e');
  const [, decimals = ''] = digits.split('.');
  return decimals.length - Number(exponent);
}
