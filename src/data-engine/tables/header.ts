import type { ColumnProfiles } from './column-types.js';
import { type GridCell, type GridRow, isFilled, textOf } from './grid.js';

/** Evidence for a header: other types than the columns below, numbers that rise evenly, or a table of texts. */
export type HeaderEvidence = 'types' | 'sequence' | 'texts';

/**
 * Decides whether a row holds the names of the columns below it. It does when a cell is not of its column's type. If all of its
 * cells are, it does only when they are numbers or dates that rise evenly (years, weeks, hours) beside a text that is like no cell
 * below. A table of texts has a header, unless its first row is all there is and has a value in it.
 *
 * @param ofRow profiles of the row alone
 * @param profiles profiles of all rows below
 * @param below some of these rows
 */
export function headerEvidence(
  cells: readonly GridCell[],
  ofRow: ColumnProfiles,
  profiles: ColumnProfiles,
  below: readonly GridRow[],
): HeaderEvidence | undefined {
  const columns = Array.from({ length: ofRow.width }, (_, column) => column);
  const filled = columns.filter((column) => ofRow.hasValues(column));
  const typed = filled.filter((column) => profiles.isTyped(column));
  if (typed.some((column) => !profiles.isLike(column, ofRow))) return 'types';
  if (typed.length > 0) {
    if (isAboveFigures(cells, typed, below)) return 'sequence';
    const isBeside = columns.some(
      (column) => profiles.hasValues(column) && !profiles.isTyped(column) && isUnlike(cells[column], column, below),
    );
    return isBeside && isSequence(typed.map((column) => cells[column])) ? 'sequence' : undefined;
  }
  const isName = filled.some((column) => profiles.hasValues(column)) || !filled.some((column) => ofRow.isTyped(column));
  return isName ? 'texts' : undefined;
}

/** Returns true for a header, or a first row of data, that may be the other one as well. */
export const isUncertainHeader = (evidence: HeaderEvidence | undefined, cells: readonly GridCell[]): boolean => {
  const filled = cells.filter(isFilled);
  return evidence === undefined ? filled.length > 1 && isSequence(filled) : evidence !== 'types';
};

/** Whether a row of several years that rise evenly is above numbers that are no years. */
function isAboveFigures(cells: readonly GridCell[], columns: readonly number[], below: readonly GridRow[]): boolean {
  const years = columns.map((column) => cells[column]);
  return (
    years.length > 1 &&
    years.every((cell) => isYear(Number(textOf(cell)))) &&
    isSequence(years) &&
    below.length > 0 &&
    below.every((row) => columns.every((column) => !isYear(Number(textOf(row.cells[column])))))
  );
}

/** Returns true if numbers rise by the same step, or dates rise. Two numbers must be neighbours, a single number a year. */
export function isSequence(cells: readonly GridCell[]): boolean {
  const texts = cells.map(textOf);
  const numbers = texts.map(Number);
  if (numbers.every((number) => Number.isFinite(number))) {
    const step = numbers.length > 1 ? numbers[1]! - numbers[0]! : 1;
    const isEven = numbers.every((number, at) => at === 0 || number - numbers[at - 1]! === step);
    if (numbers.length === 1) return isYear(numbers[0]!);
    return isEven && step > 0 && (numbers.length > 2 || step === 1);
  }
  const times = texts.map((text) => Date.parse(text));
  return times.length > 1 && times.every((time, at) => at === 0 || time > times[at - 1]!);
}

const isYear = (number: number): boolean => Number.isInteger(number) && number >= 1900 && number <= 2100;

/** Whether no cell of a column is equal to a cell above it, or differs from it in its digits alone. */
function isUnlike(cell: GridCell, column: number, below: readonly GridRow[]): boolean {
  const shape = shapeOf(cell);
  return !isFilled(cell) || below.every(({ cells }) => shapeOf(cells[column]) !== shape);
}

function shapeOf(cell: GridCell): string {
  const text = textOf(cell).toLowerCase();
  return /\d/.test(text) ? text.replace(/\d+/g, '0').replace(/\p{L}+/gu, 'a') : text;
}
