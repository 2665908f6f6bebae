import type { LeftOut } from '../tasks.js';
import type { WorkbookCell } from '../sheet-cells.js';
import { type ColumnProfiles, isBoolean } from './column-types.js';
import { dateForms } from './date-forms.js';
import { endWithoutBlanks, numberForms, startWithoutBlanks } from './number-forms.js';

/** A cell of a text file or a sheet; undefined if it is empty. */
export type GridCell = WorkbookCell | undefined;

export interface GridRow {
  /** Row number in the file, from 1. */
  number: number;
  cells: readonly GridCell[];
}

/** First integer range that a double does not hold exactly. Larger numbers are reported as decimals. */
const FIRST_INEXACT = 1e15;
/** Characters of a row that an answer quotes. */
const MAX_QUOTE = 100;

/** Adds a cell to the profile of its column and returns its text; undefined for empty cells and errors. */
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

/** The text of a cell, without the blanks around it. */
export function textOf(cell: GridCell): string {
  if (cell === undefined) return '';
  if (typeof cell !== 'object') return String(cell).trim();
  return 'error' in cell ? cell.error : cell.date;
}

export const isFilled = (cell: GridCell): boolean => textOf(cell) !== '';

export const countFilled = ({ cells }: GridRow): number => cells.filter(isFilled).length;

/** Returns true for a text that cannot be read as a number, a date or a boolean. */
export function isText(cell: GridCell): boolean {
  if (typeof cell !== 'string') return false;
  const bytes = Buffer.from(cell);
  const start = startWithoutBlanks(bytes, 0, bytes.length);
  const end = endWithoutBlanks(bytes, start, bytes.length);
  if (start === end) return false;
  return numberForms(bytes, start, end) === 0 && dateForms(bytes, start, end) === 0 && !isBoolean(bytes, start, end);
}

/** Whether all filled cells of a row are texts. */
export const isTextRow = ({ cells }: GridRow): boolean => cells.every((cell) => !isFilled(cell) || isText(cell));

/** Whether a row begins with `#`. */
export function isComment({ cells }: GridRow): boolean {
  const first = cells.find(isFilled);
  return typeof first === 'string' && textOf(first).startsWith('#');
}

/** Adds an entry to the list. Neighbours of the same kind share an entry, so the list stays short. */
export function leaveOut(list: LeftOut[], { place, kind, first, last, text }: LeftOut): void {
  const before = list.at(-1);
  if (before?.place === place && before.kind === kind) {
    before.last = last;
    before.text = cut(`${before.text}\n${text}`);
  } else list.push({ place, kind, first, last, text: cut(text) });
}

export const leftOutRow = (place: LeftOut['place'], kind: LeftOut['kind'], { number, cells }: GridRow): LeftOut => ({
  place,
  kind,
  first: number,
  last: number,
  text: cells.map(textOf).filter(Boolean).join(' '),
});

const cut = (text: string): string =>
  Array.from(text.slice(0, 2 * MAX_QUOTE))
    .slice(0, MAX_QUOTE)
    .join('')
    .toWellFormed();
