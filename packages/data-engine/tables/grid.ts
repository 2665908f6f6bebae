import type { WorkbookCell } from '../sheet-cells.js';
import { type ColumnProfiles, isBoolean } from './column-types.js';
import { dateForms } from './date-forms.js';
import { endWithoutBlanks, numberForms, startWithoutBlanks } from './number-forms.js';

/** Cell in a text file or a sheet. Undefined if it is empty. */
export type GridCell = WorkbookCell | undefined;

export interface GridRow {
  /** One-based row number in the file. */
  number: number;
  cells: readonly GridCell[];
}

/**
 * Smallest integer with more digits than a double always holds exactly. This number and larger numbers are reported as
 * decimals.
 */
const FIRST_INEXACT = 1e15;

/** Adds a cell to the profile of its column and returns its text, or undefined for empty cells and errors. */
export function observeCell(profiles: ColumnProfiles, column: number, cell: GridCell): Buffer | undefined {
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

/** Adds a row to the profiles of columns. */
export function observeCells(profiles: ColumnProfiles, cells: readonly GridCell[]): void {
  for (const [column, cell] of cells.slice(0, profiles.width).entries()) observeCell(profiles, column, cell);
}

/** Returns the text of a cell without surrounding blanks. */
export function textOf(cell: GridCell): string {
  if (cell === undefined) return '';
  if (typeof cell !== 'object') return String(cell).trim();
  return 'error' in cell ? cell.error : cell.date;
}

export const isFilled = (cell: GridCell): boolean => textOf(cell) !== '';

export const countFilled = ({ cells }: GridRow): number => cells.filter(isFilled).length;

/** Returns true for text that cannot be read as a number, a date or a boolean. */
export function isText(cell: GridCell): boolean {
  if (typeof cell !== 'string') return false;
  const bytes = Buffer.from(cell);
  const start = startWithoutBlanks(bytes, 0, bytes.length);
  const end = endWithoutBlanks(bytes, start, bytes.length);
  if (start === end) return false;
  return numberForms(bytes, start, end) === 0 && dateForms(bytes, start, end) === 0 && !isBoolean(bytes, start, end);
}

/** Returns true if all filled cells of a row are text. */
export const isTextRow = ({ cells }: GridRow): boolean => cells.every((cell) => !isFilled(cell) || isText(cell));

/** Returns whether a row begins with `#`. */
export function isComment({ cells }: GridRow): boolean {
  const first = cells.find(isFilled);
  return typeof first === 'string' && textOf(first).startsWith('#');
}
