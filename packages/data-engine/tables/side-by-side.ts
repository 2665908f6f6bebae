import type { LeftOut } from '../tasks.js';
import { type GridRow, isFilled, textOf } from './grid.js';
import { leaveOut } from './left-out.js';

/** Columns of a sheet beside its table. */
export interface SideBySide {
  /** The empty column between them, from 0. */
  gap: number;
  leftOut: LeftOut[];
}

/**
 * Finds the columns behind the first empty one of a table, which are another table or a note.
 *
 * @param rows the first rows of the sheet
 * @param start row where the table begins
 */
export function columnsBeside(rows: readonly GridRow[], start: number): SideBySide | undefined {
  const table = rows.filter(({ number }) => number >= start);
  const filled = new Set(table.flatMap(({ cells }) => [...cells.keys()].filter((column) => isFilled(cells[column]))));
  if (filled.size === 0) return undefined;
  const columns = [...filled].toSorted((a, b) => a - b);
  const gap = columns.findIndex((column, at) => at > 0 && column > columns[at - 1]! + 1);
  if (gap < 0) return undefined;
  const from = columns[gap]!;
  const texts = table.flatMap(({ cells }) => cells.slice(from).map(textOf).filter(Boolean));
  const leftOut: LeftOut[] = [];
  leaveOut(leftOut, {
    place: 'beside',
    kind: texts.length > 1 ? 'table' : 'note',
    first: from + 1,
    last: columns.at(-1)! + 1,
    text: texts.join(' '),
  });
  return { gap: columns[gap - 1]! + 1, leftOut };
}
