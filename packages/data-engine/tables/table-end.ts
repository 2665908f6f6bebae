import type { LeftOut } from '../tasks.js';
import type { ColumnProfiles } from './column-types.js';
import { countFilled, type GridCell, type GridRow, isComment, isFilled, isText, isTextRow, textOf } from './grid.js';
import { addLeftOut, leftOutEntry } from './left-out.js';
import { isTotalLabel } from './total-labels.js';

/** Maximum number of rows from the first total or note to the end of a file. Only these rows can be omitted. */
const MAX_ROWS = 20;
/** Row near the end of a table. */
export interface TailRow extends GridRow {
  /** Whether the row above it is empty. */
  isApart: boolean;
  /** Whether the row has as many cells as the table has columns. */
  isFull: boolean;
  /** Whether a blank follows each delimiter, as in prose, and the other rows of the file do not have these blanks. */
  isProse?: boolean;
}

export interface TableEnd {
  /** Held-back rows that turned out to belong to the table. */
  rows: TailRow[];
  below: LeftOut[];
  /**
   * Number of the first row that may not belong to the table, because it may be a total, a note or a row of another table.
   * Undefined if all rows certainly belong to it.
   */
  otherEnd: number | undefined;
}

/** Returns whether a table may end at a row or shortly after it. */
export const mayEndAt = (row: TailRow): boolean =>
  row.isApart ||
  row.isProse === true ||
  isComment(row) ||
  hasLabel(row) ||
  countFilled(row) === 0 ||
  isTextAlone(row) ||
  isRule(row);

const hasLabel = ({ cells }: GridRow): boolean => isTotalLabel(textOf(cells.find(isText)));

/** Returns true for a row whose only filled cell is text in the first column, such as a note. */
const isTextAlone = (row: GridRow): boolean => isText(row.cells[0]) && countFilled(row) === 1;

/** Returns true for a row of characters that draw a line across the table, such as `-----` and `---`. */
const isRule = ({ cells }: GridRow): boolean => {
  const texts = cells.map(textOf).filter(Boolean);
  return texts.some((text) => text.length > 2) && texts.every((text) => /^([-_=*~.─—])\1*$/.test(text));
};

/** Pattern for notes: a colon, parentheses, an asterisk, or several words. */
const NOTE = /^[*†‡(\[]|：|:(?:\s|$)|\S\s+\S+\s+\S/;
/** Minimum number of columns in a table for which a row with a single cell is unlikely to be data. */
const MIN_COLUMNS = 3;

/** Holds back the last rows read from a table until it is known whether they belong to it. */
export class TableTail {
  private rows: TailRow[] = [];
  /** Number of rows whose only filled cell is text in the first column. */
  private textsAlone = 0;
  /** First row that may be the header of another table. */
  private nextHeader: TailRow | undefined;
  /** Rows with text in a column that does not contain text otherwise. */
  private readonly unlike = new WeakSet<TailRow>();
  /** Number of the first row after the last empty row, and the size of the smallest group of rows between empty rows. */
  private lastGap: number | undefined;
  private smallestGroup = Infinity;

  /**
   * @param width usual number of filled cells
   * @param hasGroups whether subtotals end groups of rows, so that empty rows between groups are expected
   */
  constructor(
    private readonly width: number,
    private readonly hasGroups: boolean,
  ) {}

  /** Whether some rows are being held back. */
  get isOpen(): boolean {
    return this.rows.length > 0;
  }

  /**
   * Holds back a row and returns the rows that are now known to belong to the table.
   *
   * @param profiles profiles of the rows above
   */
  add(row: TailRow, profiles: ColumnProfiles): TailRow[] {
    const isUnlike = (cell: GridCell, column: number): boolean =>
      column < profiles.width && isText(cell) && profiles.isTyped(column);
    if (row.cells.some(isUnlike)) {
      this.unlike.add(row);
      // A row of text after an empty row and below numbers may be the header of another table.
      if (row.isApart && isTextRow(row) && countFilled(row) > 1) this.nextHeader ??= row;
    }
    const isBelowData =
      this.isOpen || row.cells.some((_, column) => column < profiles.width && profiles.hasValues(column));
    if (row.isApart && isBelowData && !this.hasGroups && countFilled(row) > 0) {
      if (this.lastGap !== undefined) this.smallestGroup = Math.min(this.smallestGroup, row.number - this.lastGap - 1);
      this.lastGap = row.number;
    }
    if (isTextAlone(row)) this.textsAlone += 1;
    this.rows.push(row);
    return this.rows.length > MAX_ROWS ? this.rows.splice(0) : [];
  }

  /** Rows labelled as totals. They count as totals only if they match the sums of their columns. */
  get totals(): TailRow[] {
    return this.rows.filter((row) => hasLabel(row) && !row.isApart);
  }

  /** Rows that are likely to be data. */
  get rowsOfTable(): TailRow[] {
    return this.rows.filter((row) => row.isFull && !hasLabel(row) && !isRule(row) && !this.isNote(row));
  }

  /**
   * Separates the rows of the table from totals, notes and comments at its end.
   *
   * @param isSum returns whether the numbers of a row are the sums or averages of the rows above it
   */
  close(isSum: (total: TailRow, rows: readonly TailRow[]) => boolean): TableEnd {
    const { rows } = this;
    const endsAt = (start: number, accepts: (row: TailRow, above: readonly TailRow[]) => boolean): boolean =>
      rows.slice(start).every((row, at) => this.kindOf(row, at > 0, (total) => accepts(total, rows.slice(0, start))));
    const places = rows.map((_, place) => place);
    const start = places.find((place) => endsAt(place, isSum)) ?? rows.length;
    const below: LeftOut[] = [];
    for (const row of rows.slice(start))
      if (countFilled(row) > 0)
        addLeftOut(below, leftOutEntry('below', this.kindOf(row, true, () => true) || 'note', row));
    let end = start;
    while (start < rows.length && end > 0 && countFilled(rows[end - 1]!) === 0) end -= 1;
    const tableRows = rows.slice(0, end);
    const guesses = [
      start === rows.length
        ? rows[places.find((place) => endsAt(place, hasNumbers)) ?? rows.length]?.number
        : undefined,
      this.nextHeader !== undefined && !rows.slice(start).includes(this.nextHeader)
        ? this.nextHeader.number
        : undefined,
      this.noteAt(tableRows),
      this.gapAbove(tableRows),
    ];
    const [guess] = guesses.filter((row) => row !== undefined).toSorted((a, b) => a - b);
    if (guess === undefined) return { rows: tableRows, below, otherEnd: undefined };
    const lastAbove = tableRows.findLastIndex((row) => row.number < guess && countFilled(row) > 0);
    // Empty rows directly above this row do not belong to the table either.
    return { rows: tableRows, below, otherEnd: Math.min(guess, tableRows[lastAbove + 1]?.number ?? guess) };
  }

  /**
   * Returns the number of the first row that may be a note. Notes are labels of totals without numbers, prose, or the only rows
   * with a single text.
   */
  private noteAt(rows: readonly TailRow[]): number | undefined {
    const last = rows.at(-1);
    const isProse = last?.isProse === true && NOTE.test(textOf(last.cells[0]));
    if (last !== undefined && (isProse || (hasLabel(last) && !hasNumbers(last)))) return last.number;
    const notes = rows.slice(rows.findLastIndex((row) => !isTextAlone(row)) + 1);
    const isNote = ({ cells }: TailRow): boolean => this.width >= MIN_COLUMNS || NOTE.test(textOf(cells[0]));
    const mayBeNotes = this.width > 1 && notes.length > 0 && notes.length === this.textsAlone && notes.some(isNote);
    return mayBeNotes ? notes[0]!.number : undefined;
  }

  /**
   * Returns the number of the first row after the last empty row. Returns undefined if the empty row seems to separate groups
   * of the same table.
   */
  private gapAbove(rows: readonly TailRow[]): number | undefined {
    const { lastGap } = this;
    if (lastGap === undefined || !rows.some(({ number }) => number === lastGap)) return undefined;
    const rowsBelow = rows.filter((row) => row.number >= lastGap && countFilled(row) > 0).length;
    return rowsBelow < this.smallestGroup ? lastGap : undefined;
  }

  /** Returns the kind of a row below a table, or an empty string for a row in the table. */
  private kindOf(row: TailRow, isBelow: boolean, isSum: (row: TailRow) => boolean): 'total' | 'note' | 'comment' | '' {
    const filled = countFilled(row);
    if (hasLabel(row) && hasNumbers(row) && (row.isApart || isBelow || isSum(row))) return 'total';
    if (isRule(row) || this.isNote(row)) return 'note';
    const isNarrow = filled <= Math.max(1, Math.floor(this.width / 2)) && filled < this.width;
    if (!isTextRow(row) || !isNarrow) return '';
    if (isComment(row) && (row.isApart || isBelow || !row.isFull)) return 'comment';
    if (!row.isApart && !isBelow) return '';
    return filled === 0 && !isBelow ? '' : 'note';
  }

  /** Returns true if a row is a sentence whose punctuation was read as delimiters. */
  private isNote(row: TailRow): boolean {
    const mayBeNote =
      row.isProse === true || (row.isApart && !row.isFull && isTextRow(row) && NOTE.test(textOf(row.cells[0])));
    return mayBeNote && isText(row.cells[0]) && (!row.isFull || this.unlike.has(row));
  }
}

const hasNumbers = ({ cells }: GridRow): boolean => cells.some((cell) => isFilled(cell) && !isText(cell));
