import type { LeftOut } from '../tasks.js';
import { type GridRow, isFilled, textOf } from './grid.js';
import { addLeftOut } from './left-out.js';

/** Columns beside the table in a sheet. */
export interface AdjacentColumns {
  /** Index of the empty column between the table and the other columns. */
  gap: number;
  leftOut: LeftOut[];
}

/**
 * Finds the columns to the right of the first empty column. They hold another table or a note. Cells above the table are
 * included.
 *
 * @param rows the first rows of the sheet
 * @param start number of the first table row
 */
export function findAdjacentColumns(rows: readonly GridRow[], start: number): AdjacentColumns | undefined {
  const columns = filledColumns(rows.filter(({ number }) => number >= start));
  const last = columns.find((column, at) => at < columns.length - 1 && column + 1 < columns[at + 1]!);
  if (last === undefined) return undefined;
  const gap = last + 1;
  const adjacentColumns = filledColumns(rows).filter((column) => column >= gap);
  const texts = rows.flatMap(({ cells }) => cells.slice(gap).map(textOf).filter(Boolean));
  const leftOut: LeftOut[] = [];
  addLeftOut(leftOut, {
    place: 'beside',
    kind: texts.length > 1 ? 'table' : 'note',
    first: adjacentColumns[0]! + 1,
    last: adjacentColumns.at(-1)! + 1,
    text: texts.join(' '),
  });
  return { gap, leftOut };
}

/** Returns the zero-based indexes of the columns with filled cells, in ascending order. */
const filledColumns = (rows: readonly GridRow[]): number[] => {
  const columns = rows.flatMap(({ cells }) => [...cells.keys()].filter((column) => isFilled(cells[column])));
  return [...new Set(columns)].toSorted((a, b) => a - b);
};
