import { join } from 'node:path';
import { type Dialect, type TableFormat, TaskProblem } from '../tasks.js';
import { columnNames } from './column-names.js';
import { ColumnProfiles } from './column-types.js';
import { cellsOf } from './dialect.js';
import { isHeader } from './header.js';
import { MAX_COLUMNS } from '../limits.js';
import type { TextTable } from './parquet-writer.js';
import { RecordScanner } from './record-scanner.js';
import { RowNumbering } from './row-numbers.js';
import { readRows, readStart, type TextFile, withText } from './text-file.js';
import { TextWriter } from './text-writer.js';

/** A CSV or TSV file whose every cell was looked at. */
export interface DelimitedTable extends TextTable {
  dialect: Dialect;
  skipped: number;
}

const LF = 0x0a;

/** What a record is for the table. */
type Place = 'row' | 'blank' | 'ragged';

/**
 * Tells dialect, header and types of a CSV or TSV file by all of its rows, and makes it one that DuckDB reads in the same way: most
 * files are left as they are, the others (ragged rows, mixed line ends, another encoding, ...) are written anew to `scratch`.
 *
 * The first row holds names unless it looks like the rows below: see `isHeader`.
 *
 * @throws TaskProblem `ragged_row`, `unreadable`
 */
export async function readDelimited(
  from: string,
  format: TableFormat,
  ignoreErrors: boolean,
  scratch: string,
  signal?: AbortSignal,
): Promise<DelimitedTable> {
  const read = (file: TextFile) => readText(file, format, ignoreErrors, scratch, signal);
  return withText(from, join(scratch, 'utf-8'), read, signal);
}

async function readText(
  file: TextFile,
  format: TableFormat,
  ignoreErrors: boolean,
  scratch: string,
  signal?: AbortSignal,
): Promise<DelimitedTable> {
  const sample = withoutBlankLines(await readStart(file.path, file.start));
  const cells = cellsOf(sample, format);
  const scan = new DelimitedScan(cells.delimiter, cells.quote, cells.skipped, ignoreErrors);
  await readRows(file, (...place) => scan.next(...place), signal);
  const { first, firstProfiles, profiles } = scan;
  if (first === undefined || profiles === undefined || firstProfiles === undefined) {
    throw new TaskProblem('unreadable', 'The file is empty');
  }
  const texts = first.map((cell) => cell.toString());
  const header = isHeader(texts, firstProfiles, profiles);
  if (!header) profiles.include(firstProfiles);
  // A delimiter at the end of each row makes no column.
  const isTrailing = first.length > 1 && first.at(-1)!.length === 0 && !profiles.hasValues(first.length - 1);
  const width = isTrailing ? first.length - 1 : first.length;
  const names = columnNames(texts.slice(0, width).map((name) => (header ? name : '')));
  const { readings, decimal, thousands } = profiles.readingsOf(names, cells.delimiter === ';' ? ',' : '.');
  const table = {
    names,
    readings,
    profiles,
    rows: scan.numbering.count - (header ? 1 : 0),
    rowNumbers: scan.numbering.list(header),
    skipped: scan.skipped,
    dialect: { delimiter: cells.delimiter, quote: cells.quote, encoding: file.encoding, header, decimal, thousands },
  };
  const { scanner } = scan;
  if (!scan.isOdd && file.start === 0) {
    return {
      ...table,
      source: {
        path: file.path,
        delimiter: cells.delimiter,
        // Without it a quote inside a text needs no care.
        quote: scanner.hasQuotes ? cells.quote : '',
        header,
        columns: first.length,
        isRagged: false,
        nullToken: '',
        hasNewlines: scanner.hasNewlinesInCells,
        longestRow: scanner.longest,
      },
    };
  }
  return { ...table, source: await scan.rewrite(file, join(scratch, 'rows'), header, width, signal) };
}

/** Goes through the records of a file, twice where it has to be written anew. */
class DelimitedScan {
  first: Buffer[] | undefined;
  firstProfiles: ColumnProfiles | undefined;
  profiles: ColumnProfiles | undefined;
  skipped = 0;
  readonly scanner: RecordScanner;
  readonly numbering = new RowNumbering();
  private hasOddRows = false;
  private record = 0;
  /** Blank lines since the last row: cells of a table of one column unless they end the file. */
  private blanks = 0;

  constructor(
    private readonly delimiter: string,
    private readonly quote: string,
    private readonly skippedRecords: number,
    private readonly ignoreErrors: boolean,
  ) {
    this.scanner = this.newScanner();
  }

  get isOdd(): boolean {
    return this.hasOddRows || this.scanner.isOdd || this.skippedRecords > 0;
  }

  /** Takes notice of the record at a place; answers where the next one starts. */
  next(bytes: Buffer, at: number, end: number, isLast: boolean): number {
    const { scanner } = this;
    if (bytes[at] === LF) {
      // Many of them would take long one by one.
      let text = at;
      while (text < end && bytes[text] === LF) text += 1;
      this.record += text - at;
      this.hasOddRows = true;
      if (this.first !== undefined) this.blanks += text - at;
      return text;
    }
    const next = this.read(scanner, bytes, at, end, isLast);
    if (next < 0) return next;
    this.record += 1;
    if (this.record <= this.skippedRecords) return next;
    if (this.first === undefined) this.start(bytes);
    else this.observe(bytes);
    return next;
  }

  /** Writes the rows of the table, without the header, in the one form that is read without doubt. */
  async rewrite(file: TextFile, path: string, header: boolean, width: number, signal?: AbortSignal) {
    const scanner = this.newScanner();
    const writer = new TextWriter(path);
    try {
      let record = 0;
      let rows = 0;
      let blanks = 0;
      const writeRow = () => {
        if (rows > 0 || !header) {
          for (let column = 0; column < width; column += 1) {
            if (column >= scanner.cells || scanner.isEmpty(column)) writer.null();
            else if (scanner.isEscaped(column)) writer.text(scanner.content(column));
            else writer.text(scanner.bytes, scanner.start(column), scanner.end(column));
          }
          writer.endRow();
        }
        rows += 1;
      };
      await readRows(
        file,
        (bytes, at, end, isLast) => {
          const next = scanner.read(bytes, at, end, isLast);
          if (next < 0) return next;
          record += 1;
          if (record <= this.skippedRecords) return next;
          const place = scanner.isUnclosed ? 'ragged' : this.placeOf(scanner);
          if (place === 'blank' && rows > 0) blanks += 1;
          if (place !== 'row') return next;
          if (this.first!.length === 1) {
            for (; blanks > 0; blanks -= 1) {
              writer.null();
              writer.endRow();
            }
          }
          writeRow();
          return next;
        },
        signal,
      );
      return writer.finish(width, { header: false, isRagged: false });
    } finally {
      writer.close();
    }
  }

  private newScanner(): RecordScanner {
    return new RecordScanner(this.delimiter.charCodeAt(0), this.quote.charCodeAt(0));
  }

  private read(scanner: RecordScanner, bytes: Buffer, at: number, end: number, isLast: boolean): number {
    const row = this.record + 1;
    let next: number;
    try {
      next = scanner.read(bytes, at, end, isLast);
    } catch (error) {
      throw error instanceof TaskProblem ? new TaskProblem(error.code, `Row ${row}: ${error.message}`, { row }) : error;
    }
    if (next >= 0 && scanner.isUnclosed && !this.ignoreErrors) {
      const column = Math.min(scanner.cells, MAX_COLUMNS);
      throw new TaskProblem('unreadable', `Row ${row}: a quote is not closed`, { row, column: this.nameOf(column) });
    }
    return next;
  }

  private start(bytes: Buffer): void {
    const { scanner } = this;
    if (scanner.isBlankLine()) {
      this.hasOddRows = true;
      return;
    }
    if (scanner.cells > MAX_COLUMNS) {
      throw new TaskProblem('unreadable', `The file has more than ${MAX_COLUMNS} columns`, { row: this.record });
    }
    this.first = Array.from({ length: scanner.cells }, (_, cell) => Buffer.from(scanner.content(cell)));
    this.firstProfiles = new ColumnProfiles(scanner.cells);
    this.profiles = new ColumnProfiles(scanner.cells);
    for (const [column, cell] of this.first.entries()) this.firstProfiles.observe(column, cell, 0, cell.length);
    this.numbering.add(this.record);
    if (bytes.length === 0) this.hasOddRows = true;
  }

  private observe(bytes: Buffer): void {
    const { scanner } = this;
    const profiles = this.profiles!;
    const place = scanner.isUnclosed ? 'ragged' : this.placeOf(scanner);
    if (place === 'blank') {
      this.hasOddRows = true;
      this.blanks += 1;
      return;
    }
    if (place === 'ragged') {
      this.reject();
      return;
    }
    if (this.blanks > 0) {
      if (profiles.width === 1) {
        for (; this.blanks > 0; this.blanks -= 1) {
          profiles.observe(0, bytes, 0, 0);
          this.numbering.add(this.record - this.blanks);
        }
      }
      this.blanks = 0;
    }
    if (scanner.cells !== profiles.width) this.hasOddRows = true;
    for (let column = 0; column < profiles.width; column += 1) {
      if (column >= scanner.cells) profiles.observe(column, bytes, 0, 0);
      else if (scanner.isEscaped(column)) {
        const content = scanner.content(column);
        profiles.observe(column, content, 0, content.length);
      } else profiles.observe(column, bytes, scanner.start(column), scanner.end(column));
    }
    this.numbering.add(this.record);
  }

  private placeOf(scanner: RecordScanner): Place {
    const width = this.first!.length;
    if (scanner.cells === width && (width > 1 || !scanner.isBlankLine())) return 'row';
    if (scanner.isBlankLine()) return 'blank';
    if (scanner.cells === width + 1 && width < MAX_COLUMNS && scanner.isEmpty(width)) return 'row';
    return scanner.cells === width - 1 && this.first!.at(-1)!.length === 0 ? 'row' : 'ragged';
  }

  private reject(): void {
    this.hasOddRows = true;
    this.skipped += 1;
    if (this.ignoreErrors) return;
    const width = this.first!.length;
    const { cells } = this.scanner;
    throw new TaskProblem('ragged_row', `Row ${this.record} has ${counted(cells)}, and the first row ${width}`, {
      row: this.record,
      column: this.nameOf(Math.min(cells, width) + 1),
    });
  }

  /** The name of a column, from 1, or its number where the first row has none. */
  private nameOf(column: number): string | number {
    const name = this.first?.[column - 1]?.toString().trim() ?? '';
    return name === '' ? column : name;
  }
}

const counted = (cells: number): string => (cells === 1 ? '1 cell' : `${cells} cells`);

function withoutBlankLines(sample: Buffer): Buffer {
  let at = 0;
  while (sample[at] === LF) at += 1;
  return sample.subarray(at);
}
