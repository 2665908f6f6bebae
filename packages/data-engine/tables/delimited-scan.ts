import { MAX_COLUMNS } from '../limits.js';
import { TaskProblem } from '../tasks.js';
import { ColumnProfiles } from './column-types.js';
import { isFilled, observeCells } from './grid.js';
import { RecordScanner } from './record-scanner.js';
import { signsOf } from './record-signs.js';
import { RowNumbering } from './row-numbers.js';
import { mayEndAt, type TableEnd, TableTail, type TailRow } from './table-end.js';
import { readRows, type TextFile } from './text-file.js';

const LF = 0x0a;

/** Range of records that form the table, as one-based record numbers. */
export interface Extent {
  delimiter: string;
  quote: string;
  /** Header record, or the first row of a table without a header. */
  start: number;
  /** First record of the data, if specified by the caller. */
  first?: number;
  /** Last record of the data, if specified by the caller. */
  last?: number;
  /** Whether rows end with a delimiter and the header does not. */
  hasTrailing: boolean;
  /** Number of filled cells in a typical row. */
  usual: number;
  ignoreErrors: boolean;
  /** Whether column names are separated by a delimiter and a blank, as in prose. */
  isSpaced: boolean;
  /** Numbers of rows that are not part of the table. */
  leftOut: { has(row: number): boolean };
  /** Number of the divider row below the names of a Markdown table. */
  rule: number | undefined;
  /** Whether groups of rows end with subtotals. */
  hasGroups: boolean;
}

/** Role of a record in the table. */
type Place = 'row' | 'blank' | 'ragged';

/** Scans the records in a delimited file. If the file must be rewritten, the scan reads the records again. */
export class DelimitedScan {
  /** Cells of the header, or of the first row of a table without a header. */
  first: Buffer[] | undefined;
  firstProfiles = new ColumnProfiles(0);
  profiles = new ColumnProfiles(0);
  skipped = 0;
  readonly scanner: RecordScanner;
  readonly numbering = new RowNumbering();
  readonly tail: TableTail;
  /** Number of records read so far. */
  records = 0;
  /** Whether a row may be a subtotal. */
  hasTotals = false;
  private hasOddRows = false;
  /**
   * Number of blank lines since the last row. In a single-column table, blank lines are empty cells unless they are at the end
   * of the file.
   */
  private blanks = 0;
  /** Whether an empty or omitted row precedes the next record. */
  private isApart = false;
  /** First row that lacks the last cell of a header whose last name is empty. */
  private short: { row: number; cells: number } | undefined;

  constructor(private readonly extent: Extent) {
    this.scanner = this.newScanner();
    this.tail = new TableTail(extent.usual, extent.hasGroups);
  }

  get isOdd(): boolean {
    return this.hasOddRows || this.scanner.isOdd;
  }

  /** Reads the record at a position and returns the position of the next record. */
  next(bytes: Buffer, at: number, end: number, isLast: boolean): number {
    const { scanner } = this;
    if (bytes[at] === LF) {
      // Skips blank lines in a loop rather than by recursion, because a file may have millions of them.
      let text = at;
      while (text < end && bytes[text] === LF) text += 1;
      this.records += text - at;
      this.observeBlank(text - at);
      return text;
    }
    const next = this.read(scanner, bytes, at, end, isLast);
    if (next < 0) return next;
    this.records += 1;
    if (!this.isInside(this.records)) {
      this.hasOddRows = true;
      this.isApart ||= this.extent.leftOut.has(this.records);
    } else if (this.first === undefined) this.start();
    else this.observe();
    return next;
  }

  /**
   * Decides whether the last rows belong to the table.
   *
   * @throws TaskProblem `ragged_row` if a ragged row turns out to belong to the table
   */
  close(isSum: (total: TailRow, rows: readonly TailRow[]) => boolean): TableEnd {
    const end = this.tail.close(isSum);
    this.observeRows(end.rows);
    if (end.below.length > 0) this.hasOddRows = true;
    const { first, short } = this;
    if (short !== undefined && first !== undefined && this.profiles.hasValues(first.length - 1))
      this.reject(short.row, short.cells);
    return end;
  }

  /** Reads the cells of the rows again, up to a given record. */
  async reread(
    file: TextFile,
    last: number,
    onRow: (cells: RecordScanner, record: number) => void,
    signal?: AbortSignal,
  ): Promise<void> {
    const scanner = this.newScanner();
    let record = 0;
    await readRows(
      file,
      (bytes, at, end, isLast) => {
        const next = scanner.read(bytes, at, end, isLast);
        if (next < 0) return next;
        record += 1;
        if (record <= last && this.isInside(record)) onRow(scanner, record);
        return next;
      },
      signal,
    );
  }

  /** Returns true if a record is within the range that the caller specified. */
  private isInside(record: number): boolean {
    const { start, first = start, last = Infinity, leftOut, rule } = this.extent;
    if (record === rule) return false;
    return record === start || (record > start && record >= first && record <= last && !leftOut.has(record));
  }

  private newScanner(): RecordScanner {
    const { delimiter, quote } = this.extent;
    return new RecordScanner(delimiter.charCodeAt(0), quote === '' ? 0 : quote.charCodeAt(0));
  }

  private read(scanner: RecordScanner, bytes: Buffer, at: number, end: number, isLast: boolean): number {
    const row = this.records + 1;
    let next: number;
    try {
      next = scanner.read(bytes, at, end, isLast);
    } catch (error) {
      throw error instanceof TaskProblem ? new TaskProblem(error.code, `Row ${row}: ${error.message}`, { row }) : error;
    }
    if (next >= 0 && scanner.isUnclosed && !this.extent.ignoreErrors) {
      const column = Math.min(scanner.cells, MAX_COLUMNS);
      throw new TaskProblem('unreadable', `Row ${row}: a quote is not closed`, { row, column: this.nameOf(column) });
    }
    if (next >= 0 && scanner.escapedCell >= 0 && (!this.extent.ignoreErrors || this.first === undefined)) {
      const { quote } = this.extent;
      const sentence = `Row ${row}: text follows a quote that a backslash may escape. Write ${quote}${quote} for a quote inside a text`;
      const column = Math.min(scanner.escapedCell + 1, MAX_COLUMNS);
      throw new TaskProblem('unreadable', sentence, { row, column: this.nameOf(column) });
    }
    return next;
  }

  private start(): void {
    const { scanner } = this;
    if (scanner.isBlankLine()) {
      this.hasOddRows = true;
      return;
    }
    if (scanner.cells > MAX_COLUMNS) {
      throw new TaskProblem('unreadable', `The file has more than ${MAX_COLUMNS} columns`, { row: this.records });
    }
    this.first = Array.from({ length: scanner.cells }, (_, cell) => Buffer.from(scanner.content(cell)));
    this.firstProfiles = new ColumnProfiles(scanner.cells);
    this.profiles = new ColumnProfiles(scanner.cells);
    for (const [column, cell] of this.first.entries()) this.firstProfiles.observe(column, cell, 0, cell.length);
    // DuckDB assumes that the first line break in a header ends all rows.
    if (scanner.hasNewlinesInCells) this.hasOddRows = true;
    this.numbering.add(this.records);
  }

  private observe(): void {
    const { scanner, profiles, tail } = this;
    const place = this.placeOf(scanner);
    if (place === 'blank') {
      this.observeBlank(1);
      return;
    }
    const { isApart } = this;
    this.isApart = false;
    const signs = signsOf(scanner, profiles.width);
    this.hasTotals ||= signs.mayBeTotal;
    const isProse = signs.isSpaced && !this.extent.isSpaced;
    if (
      profiles.width > 1 &&
      !scanner.isUnclosed &&
      this.extent.last === undefined &&
      (tail.isOpen || isApart || signs.mayEnd || isProse)
    ) {
      const cells = Array.from({ length: Math.min(scanner.cells, MAX_COLUMNS) }, (_, cell) =>
        scanner.isEmpty(cell) ? undefined : scanner.content(cell).toString(),
      );
      const row = { number: this.records, cells, isApart, isFull: place === 'row', isProse, size: scanner.cells };
      if (tail.isOpen || mayEndAt(row)) {
        this.isApart = !cells.some(isFilled);
        this.observeRows(tail.add(row, profiles));
        return;
      }
    }
    if (place === 'ragged') {
      this.reject(this.records, scanner.cells);
      return;
    }
    if (profiles.width === 1) {
      for (; this.blanks > 0; this.blanks -= 1) this.numbering.add(this.records - this.blanks);
    }
    this.blanks = 0;
    for (let column = 0; column < Math.min(profiles.width, scanner.cells); column += 1) {
      if (scanner.isEscaped(column)) {
        const content = scanner.content(column);
        profiles.observe(column, content, 0, content.length);
      } else profiles.observe(column, scanner.bytes, scanner.start(column), scanner.end(column));
    }
    this.count(this.records, scanner.cells);
  }

  private observeBlank(lines: number): void {
    this.hasOddRows = true;
    if (this.first === undefined) return;
    this.blanks += lines;
    this.isApart = true;
  }

  /** Adds held-back rows to the column profiles. */
  private observeRows(rows: readonly (TailRow & { size?: number })[]): void {
    for (const { number, cells, isFull, size = cells.length } of rows) {
      if (!isFull) {
        this.reject(number, size);
        continue;
      }
      observeCells(this.profiles, cells);
      this.count(number, size);
    }
  }

  private count(row: number, cells: number): void {
    const { width } = this.profiles;
    if (cells !== width) this.hasOddRows = true;
    if (cells < width) this.short ??= { row, cells };
    this.numbering.add(row);
  }

  /** Returns the role of a record. The first record may have any number of cells. */
  placeOf(scanner: RecordScanner, isFirst = false): Place {
    const width = this.first!.length;
    const { cells } = scanner;
    if (scanner.isUnclosed || scanner.escapedCell >= 0) return 'ragged';
    if (scanner.isBlankLine()) return 'blank';
    if (isFirst) return 'row';
    if (this.extent.hasTrailing)
      return cells === width + 1 && width < MAX_COLUMNS && scanner.isEmpty(width) ? 'row' : 'ragged';
    return cells === width || (cells === width - 1 && this.first!.at(-1)!.length === 0) ? 'row' : 'ragged';
  }

  /** @throws TaskProblem unless invalid rows are to be left out */
  private reject(row: number, cells: number): void {
    this.hasOddRows = true;
    this.skipped += 1;
    if (this.extent.ignoreErrors) return;
    const width = this.first!.length;
    const { first } = this.numbering;
    const expectation = this.extent.hasTrailing
      ? 'the others have'
      : first === 1
        ? 'the first row has'
        : `row ${first} has`;
    const usual = this.extent.hasTrailing ? width + 1 : width;
    throw new TaskProblem('ragged_row', `Row ${row} has ${counted(cells)}, but ${expectation} ${usual}`, {
      row,
      column: this.nameOf(Math.min(cells, width) + 1),
    });
  }

  /** Returns the name of a column, or its one-based number if the name is empty. */
  private nameOf(column: number): string | number {
    const name = this.first?.[column - 1]?.toString().trim() ?? '';
    return name === '' ? column : name;
  }
}

const counted = (cells: number): string => (cells === 1 ? '1 cell' : `${cells} cells`);
