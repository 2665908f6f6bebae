import { join } from 'node:path';
import { TaskProblem } from '../tasks.js';
import { Workbook, type WorkbookCell } from '../workbook.js';
import { columnNames } from './column-names.js';
import { ColumnProfiles } from './column-types.js';
import { isHeader } from './header.js';
import { MAX_CELL_BYTES, MAX_COLUMNS } from '../limits.js';
import type { TextTable } from './parquet-writer.js';
import { RowNumbering } from './row-numbers.js';
import { TextWriter } from './text-writer.js';

/** Rows at the start among which titles are looked for. */
const ROWS_WITH_TITLES = 20;
/** Numbers from here on are not told as integers: a double does not hold each of them. */
const FIRST_INEXACT = 1e15;

/**
 * Writes the table of a sheet as a text. Empty rows are left out, and so are empty columns at the left and rows above the table with
 * one cell each, which are titles. Cells of text have types as in a CSV file; errors (`#N/A`) are nulls; merged cells have their
 * value in the first one.
 *
 * @throws TaskProblem `unreadable`, `unknown_sheet`
 */
export async function readSheet(
  from: string,
  wanted: string | undefined,
  scratch: string,
  signal?: AbortSignal,
): Promise<TextTable & { sheets: string[] }> {
  const workbook = await Workbook.open(from, signal);
  const writer = new TextWriter(join(scratch, 'rows'));
  try {
    const { sheets } = workbook;
    const sheet = wanted ?? sheets[0];
    if (sheet === undefined) throw new TaskProblem('unreadable', 'The workbook has no sheet with cells');
    const table = new SheetTable(writer);
    await workbook.read(sheet, { row: (number, cells) => table.add(number, cells) }, signal);
    return { ...table.finish(sheet), sheets };
  } finally {
    writer.close();
    workbook.close();
  }
}

interface Row {
  number: number;
  cells: (WorkbookCell | undefined)[];
}

class SheetTable {
  private readonly profiles = new ColumnProfiles(MAX_COLUMNS);
  private readonly ofFirst = new ColumnProfiles(MAX_COLUMNS);
  private readonly numbering = new RowNumbering();
  private first: string[] | undefined;
  private width = 0;
  /** Rows until one has two cells. */
  private start: Row[] | undefined = [];

  constructor(private readonly writer: TextWriter) {}

  add(number: number, cells: (WorkbookCell | undefined)[]): void {
    if (this.start === undefined) {
      this.write({ number, cells });
      return;
    }
    this.start.push({ number, cells });
    const hasTable = cells.filter((cell) => cell !== undefined).length > 1;
    if (hasTable) this.begin(this.start.slice(-1));
    else if (this.start.length === ROWS_WITH_TITLES) this.begin(this.start);
  }

  finish(sheet: string): TextTable {
    if (this.start !== undefined) this.begin(this.start);
    const { first, profiles, ofFirst, numbering, width } = this;
    if (first === undefined) throw new TaskProblem('unreadable', `The sheet ${JSON.stringify(sheet)} is empty`);
    while (first.length < width) first.push('');
    const header = isHeader(first, ofFirst, profiles);
    if (!header) profiles.include(ofFirst);
    let left = 0;
    while (left < width && first[left] === '' && !profiles.hasValues(left)) left += 1;
    const names = columnNames(first.slice(left).map((name) => (header ? name : '')));
    const all = profiles.readingsOf([...first.slice(0, left), ...names], '.');
    return {
      source: this.writer.finish(width, { header, isRagged: true }),
      firstColumn: left,
      names,
      readings: all.readings.slice(left),
      profiles,
      rows: numbering.count - (header ? 1 : 0),
      rowNumbers: numbering.list(header),
    };
  }

  private begin(rows: Row[]): void {
    this.start = undefined;
    for (const row of rows) this.write(row);
  }

  private write({ number, cells }: Row): void {
    if (cells.length > MAX_COLUMNS) {
      throw new TaskProblem('unreadable', `The sheet has more than ${MAX_COLUMNS} columns`, { row: number });
    }
    const isFirst = this.first === undefined;
    const profiles = isFirst ? this.ofFirst : this.profiles;
    const texts = cells.map((cell, column) => {
      const text = observe(profiles, column, cell);
      if (text === undefined) this.writer.null();
      else this.writer.text(text);
      if (text !== undefined && text.length > MAX_CELL_BYTES) {
        throw new TaskProblem('unreadable', `Row ${number}: a cell is too long`, { row: number });
      }
      return text;
    });
    this.writer.endRow();
    if (isFirst) this.first = texts.map((text) => text?.toString() ?? '');
    this.width = Math.max(this.width, cells.length);
    this.numbering.add(number);
  }
}

/** Takes notice of a cell; answers its text. */
function observe(profiles: ColumnProfiles, column: number, cell: WorkbookCell | undefined): Buffer | undefined {
  switch (typeof cell) {
    case 'number':
      profiles.observeNumber(column, Number.isInteger(cell) && Math.abs(cell) < FIRST_INEXACT);
      return Buffer.from(String(cell));
    case 'boolean':
      profiles.observeBoolean(column);
      return Buffer.from(String(cell));
    case 'undefined':
      return undefined;
    default: {
      if (typeof cell === 'object' && 'error' in cell) return undefined;
      const text = Buffer.from((typeof cell === 'string' ? cell : cell.date).toWellFormed());
      profiles.observe(column, text, 0, text.length);
      return text;
    }
  }
}
