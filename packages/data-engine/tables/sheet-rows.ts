import { join } from 'node:path';
import { type ConvertTask, type Dialect, type DialectOptions, type LeftOut, TaskProblem } from '../tasks.js';
import { Workbook } from '../workbook.js';
import { columnNames } from './column-names.js';
import { TableSums } from './column-sums.js';
import { ColumnProfiles } from './column-types.js';
import { dialectOf, type Extent, invalid, noRows, startOf } from './extent.js';
import { countFilled, type GridCell, type GridRow, observeCell, textOf } from './grid.js';
import { headerEvidence, isUncertainHeader } from './header.js';
import { MAX_CELL_BYTES, MAX_COLUMNS } from '../limits.js';
import type { TextTable } from './parquet-writer.js';
import { RowNumbering } from './row-numbers.js';
import { findAdjacentColumns, type AdjacentColumns } from './side-by-side.js';
import { leftOutEntries, NO_SUBTOTALS, type Subtotals, SubtotalSearch } from './subtotals.js';
import { mayEndAt, TableTail } from './table-end.js';
import { TextWriter } from './text-writer.js';

/** Maximum number of rows that are searched for the start of the table. */
const SAMPLE_ROWS = 200;

export interface SheetTable extends TextTable {
  dialect: Dialect;
  leftOut: LeftOut[];
}

/**
 * Writes the table in a sheet as delimited text. Leaves out empty rows, empty columns on the left, titles above the table,
 * totals and notes below it, and another table beside it. Text cells are typed as in a CSV file, errors (`#N/A`) become null,
 * and merged cells keep their value in the first cell.
 *
 * @throws TaskProblem `unreadable`, `unknown_sheet`, `invalid_dialect`
 */
export async function readSheet(
  { from, sheet: requestedSheet, dialect: options = {} }: ConvertTask,
  scratch: string,
  signal?: AbortSignal,
): Promise<SheetTable & { sheets: string[] }> {
  for (const field of ['delimiter', 'quote', 'encoding'] as const)
    if (options[field] !== undefined) throw invalid(field, `A workbook has no ${field}. Leave the field out.`);
  const workbook = await Workbook.open(from, signal);
  try {
    const { sheets } = workbook;
    const sheet = requestedSheet ?? sheets[0];
    if (sheet === undefined) throw new TaskProblem('unreadable', 'The workbook has no sheet with cells');
    const sample: GridRow[] = [];
    const row = (number: number, cells: GridCell[]): void => {
      if (cells.length > 0) sample.push({ number, cells });
    };
    await workbook.read(sheet, { row, isDone: () => sample.length >= SAMPLE_ROWS }, signal);
    if (sample.length === 0) throw await emptySheet(workbook, sheet, signal);
    const side = findAdjacentColumns(sample, startOf(sample, options).start);
    let texts = 0;
    const readRows = async (adjacent?: AdjacentColumns, leftOut?: Subtotals): Promise<SheetTable | undefined> => {
      const writer = new TextWriter(join(scratch, `rows-${(texts += 1)}`));
      let subtotals: Subtotals;
      try {
        const table = new SheetRows(writer, sample, options, adjacent, leftOut);
        await workbook.read(sheet, { row: (number, cells) => table.add(number, cells) }, signal);
        if (!table.isSplit) return undefined;
        subtotals = leftOut ?? table.subtotals;
        if (leftOut !== undefined || subtotals.rows.size === 0) return table.finish(sheet, subtotals);
      } finally {
        writer.close();
      }
      return readRows(adjacent, subtotals);
    };
    const table = (side && (await readRows(side))) ?? (await readRows());
    if (table === undefined) throw new Error('A table is read without columns beside it');
    return { ...table, sheets };
  } finally {
    workbook.close();
  }
}

async function emptySheet(workbook: Workbook, sheet: string, signal?: AbortSignal): Promise<TaskProblem> {
  const filledSheets = await workbook.sheetsWithCells(signal);
  const names = filledSheets.map((name) => JSON.stringify(name)).join(', ');
  const rest = filledSheets.length === 0 ? 'and so are the others' : `but these sheets have cells: ${names}`;
  return new TaskProblem('unreadable', `The sheet ${JSON.stringify(sheet)} is empty, ${rest}`);
}

class SheetRows {
  /** Whether all cells read so far are empty in the column that separates the table from other columns to its right. */
  isSplit = true;
  private readonly profiles = new ColumnProfiles(MAX_COLUMNS);
  private readonly ofFirst = new ColumnProfiles(MAX_COLUMNS);
  private readonly numbering = new RowNumbering();
  private readonly extent: Extent;
  private readonly sample: readonly GridRow[];
  private readonly tail: TableTail;
  private readonly search = new SubtotalSearch();
  private readonly sums = new TableSums(this.search.sums);
  private first: GridCell[] | undefined;
  private width = 0;
  /** Number of the last row with cells read so far. */
  private last = 0;
  private isBelowLeftOut = false;

  constructor(
    private readonly writer: TextWriter,
    sample: readonly GridRow[],
    private readonly options: DialectOptions,
    private readonly adjacent: AdjacentColumns | undefined,
    private readonly leftOut = NO_SUBTOTALS,
  ) {
    this.sample = sample.map((row) => this.cut(row)).filter((row) => countFilled(row) > 0);
    this.extent = startOf(this.sample, options);
    this.tail = new TableTail(this.extent.usual, this.leftOut.rows.size > 0 || options.subtotals === 'keep');
  }

  /** Subtotals found in the table. Complete after the last row. */
  get subtotals(): Subtotals {
    return this.search.result(this.options.subtotals, this.options.last_row);
  }

  add(number: number, all: readonly GridCell[]): void {
    const row = this.cut({ number, cells: all });
    const { start, first = start, last = Infinity } = this.extent;
    if (countFilled(row) === 0) return;
    const isApart = (this.last > 0 && number > this.last + 1) || this.isBelowLeftOut;
    this.last = number;
    if (number < start || number > last || (number > start && number < first)) return;
    this.isBelowLeftOut = this.leftOut.rows.has(number);
    if (this.isBelowLeftOut) return;
    this.search.add(row, numbersOf(row));
    if (row.cells.length > MAX_COLUMNS) {
      throw new TaskProblem('unreadable', `The sheet has more than ${MAX_COLUMNS} columns`, { row: number });
    }
    if (this.adjacent !== undefined && all[this.adjacent.gap] !== undefined) this.isSplit = false;
    const tailRow = { ...row, isApart, isFull: true };
    const isHeader = this.first === undefined;
    if (!isHeader && this.options.last_row === undefined && (this.tail.isOpen || mayEndAt(tailRow)))
      for (const tableRow of this.tail.add(tailRow, this.profiles)) this.write(tableRow);
    else this.write(row);
  }

  finish(sheet: string, subtotals: Subtotals): SheetTable {
    const { first, profiles, ofFirst, numbering, extent, options } = this;
    if (first === undefined) throw noRows(options, this.last, `The sheet ${JSON.stringify(sheet)} is empty`);
    const {
      rows: remainingRows,
      below,
      otherEnd,
    } = this.tail.close((total, rows) => this.sums.areOf(total, rows, numbersOf));
    for (const row of remainingRows) this.write(row);
    const { width } = this;
    const texts = Array.from({ length: width }, (_, column) => textOf(first[column]));
    const isBelow = ({ number }: GridRow): boolean => number > numbering.first && number <= numbering.last;
    const rowsBelow = this.sample.filter(isBelow);
    const evidence = headerEvidence(first, ofFirst, profiles, rowsBelow);
    const header = extent.header ?? evidence !== undefined;
    const dropsFirst = header || extent.first !== undefined;
    if (!dropsFirst) profiles.include(ofFirst);
    let firstColumn = 0;
    while (firstColumn < width && texts[firstColumn] === '' && !profiles.hasValues(firstColumn)) firstColumn += 1;
    const hasValues = texts.some((_, column) => profiles.hasValues(column) || ofFirst.hasValues(column));
    if (!hasValues) {
      const sentence = `The sheet ${JSON.stringify(sheet)} has only errors, such as #REF!, and no values`;
      throw new TaskProblem('unreadable', sentence);
    }
    const rawNames = texts.slice(firstColumn).map((name) => (header ? name : ''));
    const names = columnNames(rawNames);
    const types = profiles.readingsOf([...texts.slice(0, firstColumn), ...names], '.', options);
    const rowNumbers = numbering.list(dropsFirst);
    return {
      source: this.writer.finish(width, { header: dropsFirst, isRagged: true }),
      firstColumn,
      names,
      rawNames,
      readings: types.readings.slice(firstColumn),
      profiles,
      rows: numbering.count - (dropsFirst ? 1 : 0),
      rowNumbers,
      leftOut: [
        ...extent.above,
        ...leftOutEntries(subtotals, numbering.last),
        ...below,
        ...(this.adjacent?.leftOut ?? []),
      ],
      dialect: dialectOf(types, options, {
        cells: { delimiter: null, quote: null, encoding: null, other_encodings: [] },
        header,
        numbering,
        rowNumbers,
        lastOfFile: this.last,
        otherEnd,
        subtotals: subtotals.choice,
        uncertain: [
          ...(extent.isUncertain || isUncertainHeader(evidence, first, rowsBelow) ? (['header'] as const) : []),
          ...(subtotals.isUncertain ? (['subtotals'] as const) : []),
        ],
      }),
    };
  }

  /** Returns a row without the cells outside the table. */
  private cut({ number, cells }: GridRow): GridRow {
    return { number, cells: this.adjacent === undefined ? cells : cells.slice(0, this.adjacent.gap) };
  }

  private write({ number, cells }: GridRow): void {
    const isFirst = this.first === undefined;
    const profiles = isFirst ? this.ofFirst : this.profiles;
    for (const [column, cell] of cells.entries()) {
      const text = observeCell(profiles, column, cell);
      if (text === undefined) this.writer.null();
      else this.writer.text(text);
      if (text !== undefined && text.length > MAX_CELL_BYTES) {
        throw new TaskProblem('unreadable', `Row ${number}: a cell is too long`, { row: number });
      }
    }
    this.writer.endRow();
    if (isFirst) this.first = [...cells];
    else this.sums.add(number, cells.map(toNumber));
    this.width = Math.max(this.width, cells.length);
    this.numbering.add(number);
  }
}

const numbersOf = ({ cells }: GridRow): (number | undefined)[] => cells.map(toNumber);

/** Returns the number in a cell, even if it is stored as text. */
function toNumber(cell: GridCell): number | undefined {
  if (typeof cell === 'number') return cell;
  const number = typeof cell === 'string' && cell.trim() !== '' ? Number(cell) : NaN;
  return Number.isFinite(number) ? number : undefined;
}
