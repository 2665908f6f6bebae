import type { LeftOut } from '../tasks.js';
import type { ColumnProfiles } from './column-types.js';
import { countFilled, type GridRow, isComment, isFilled, isText, isTextRow, textOf } from './grid.js';
import { leaveOut, leftOutRow } from './left-out.js';
import { isTotalLabel } from './total-labels.js';

/** Maximum number of rows from the first total or note to the end of a file. */
const MAX_ROWS = 20;
/** A row that may be the end of a table. */
export interface TailRow extends GridRow {
  /** Whether an empty row is above it. */
  isApart: boolean;
  /** Whether it has as many cells as the table. */
  isFull: boolean;
}

export interface TableEnd {
  /** Rows that belong to the table after all. */
  rows: TailRow[];
  below: LeftOut[];
  /** Whether the last row may be a total, or a row of another table. */
  isUncertain: boolean;
}

/** Whether a table may end above a row, or above a row that follows it. */
export const mayEndAt = (row: TailRow): boolean =>
  row.isApart || isComment(row) || hasLabel(row) || countFilled(row) === 0 || isTextAlone(row);

const hasLabel = ({ cells }: GridRow): boolean => isTotalLabel(textOf(cells.find(isText)));

/** Returns true for a text in the first cell, such as a note, and no other cells. */
const isTextAlone = (row: GridRow): boolean => isText(row.cells[0]) && countFilled(row) === 1;

/** Texts of notes: with a colon, in parentheses, behind an asterisk, or several words. */
const NOTE = /^[*†‡(\[]|：|:(?:\s|$)|\S\s+\S+\s+\S/;
/** Columns of a table in which a row with one cell is unlikely. */
const MIN_COLUMNS = 3;

/** The last rows of a table that is read, among which totals and notes are looked for at its end. */
export class TableTail {
  private rows: TailRow[] = [];
  /** Number of rows with a single text. */
  private textsAlone = 0;
  /** First row that may be the header of another table. */
  private nextHeader: TailRow | undefined;

  /** @param width usual number of filled cells */
  constructor(private readonly width: number) {}

  /** Whether rows wait for the end. */
  get isOpen(): boolean {
    return this.rows.length > 0;
  }

  /**
   * Takes a row; returns rows that belong to the table.
   *
   * @param profiles profiles of the rows above
   */
  add(row: TailRow, profiles: ColumnProfiles): TailRow[] {
    if (mayBeHeader(row, profiles)) this.nextHeader ??= row;
    if (isTextAlone(row)) this.textsAlone += 1;
    this.rows.push(row);
    return this.rows.length > MAX_ROWS ? this.rows.splice(0) : [];
  }

  /** Rows with a label that are totals only if they match the sums of their columns. */
  get totals(): TailRow[] {
    return this.rows.filter((row) => hasLabel(row) && !row.isApart);
  }

  /** Rows that are likely to be data. */
  get rowsOfTable(): TailRow[] {
    return this.rows.filter((row) => row.isFull && !hasLabel(row));
  }

  /**
   * Separates the rows of the table from totals, notes and comments at its end.
   *
   * @param isSum whether the numbers of a row are the sums or averages of the rows above `end`
   */
  close(isSum: (total: TailRow, rows: readonly TailRow[]) => boolean): TableEnd {
    const { rows } = this;
    const endsAt = (start: number, accepts: (row: TailRow, above: readonly TailRow[]) => boolean): boolean =>
      rows.slice(start).every((row, at) => this.kindOf(row, at > 0, (total) => accepts(total, rows.slice(0, start))));
    const places = rows.map((_, place) => place);
    const start = places.find((place) => endsAt(place, isSum)) ?? rows.length;
    const { nextHeader } = this;
    const isUncertain =
      (start === rows.length && places.some((place) => endsAt(place, hasNumbers))) ||
      (nextHeader !== undefined && !rows.slice(start).includes(nextHeader)) ||
      this.mayEndWithNotes(rows.slice(0, start));
    const below: LeftOut[] = [];
    for (const row of rows.slice(start))
      if (countFilled(row) > 0) leaveOut(below, leftOutRow('below', this.kindOf(row, true, () => true) || 'note', row));
    let end = start;
    while (start < rows.length && end > 0 && countFilled(rows[end - 1]!) === 0) end -= 1;
    return { rows: rows.slice(0, end), below, isUncertain };
  }

  /** Whether the last rows are the only ones with a single text. */
  private mayEndWithNotes(rows: readonly TailRow[]): boolean {
    const notes = rows.slice(rows.findLastIndex((row) => !isTextAlone(row)) + 1);
    const isNote = ({ cells }: TailRow): boolean => this.width >= MIN_COLUMNS || NOTE.test(textOf(cells[0]));
    return this.width > 1 && notes.length > 0 && notes.length === this.textsAlone && notes.some(isNote);
  }

  /** Returns the kind of a row below a table, or an empty text for a row of the table. */
  private kindOf(row: TailRow, isBelow: boolean, isSum: (row: TailRow) => boolean): 'total' | 'note' | 'comment' | '' {
    const filled = countFilled(row);
    if (hasLabel(row) && hasNumbers(row) && (row.isApart || isBelow || isSum(row))) return 'total';
    const isNarrow = filled <= Math.max(1, Math.floor(this.width / 2)) && filled < this.width;
    if (!isTextRow(row) || !isNarrow) return '';
    if (isComment(row) && (row.isApart || isBelow || !row.isFull)) return 'comment';
    if (!row.isApart && !isBelow) return '';
    return filled === 0 && !isBelow ? '' : 'note';
  }
}

/** Whether a row of texts behind an empty row is below figures, as the header of another table is. */
const mayBeHeader = (row: TailRow, profiles: ColumnProfiles): boolean =>
  row.isApart &&
  isTextRow(row) &&
  countFilled(row) > 1 &&
  row.cells.some((cell, column) => column < profiles.width && isFilled(cell) && profiles.isTyped(column));

const hasNumbers = ({ cells }: GridRow): boolean => cells.some((cell) => isFilled(cell) && !isText(cell));
