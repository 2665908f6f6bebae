import type { ColumnProfiles } from './column-types.js';
import { type GridCell, type GridRow, isFilled, isText, textOf } from './grid.js';

/** Evidence for a header: types that differ from the columns below, ordered numbers, or a table that contains only text. */
export type HeaderEvidence = 'types' | 'sequence' | 'texts';

/** Minimum number of columns in a header of ordered numbers. Fewer numbers are too often in order by chance. */
const SCALE_COLUMNS = 4;
/** Last quarter, weekday, month, hour, day of a month and week. The number that follows is 0 or 1. */
const CYCLE_ENDS = new Set([4, 7, 12, 23, 24, 28, 29, 30, 31, 52, 53]);

/**
 * Decides whether a row holds the names of the columns below it. A cell whose type differs from its column is evidence for a
 * header. Otherwise the row must contain ordered numbers or dates (years, weeks, sizes) and a text cell unlike every cell below
 * it, or years above other numbers. A table that contains only text has a header, unless its first row is the only row and
 * contains a value.
 *
 * @param ofRow profiles of the row itself
 * @param profiles profiles of all rows below
 * @param below sample of the rows below
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
    const hasUnlikeText = columns.some(
      (column) => profiles.hasValues(column) && !profiles.isTyped(column) && isUnlike(cells[column], column, below),
    );
    if (!hasUnlikeText) return undefined;
    return isSequence(typed.map((column) => cells[column])) || isLongScale(cells, typed, below)
      ? 'sequence'
      : undefined;
  }
  const isName = filled.some((column) => profiles.hasValues(column)) || !filled.some((column) => ofRow.isTyped(column));
  return isName ? 'texts' : undefined;
}

/** Returns true if a detected header may be a data row, or if a first data row may be a header. */
export function isUncertainHeader(
  evidence: HeaderEvidence | undefined,
  cells: readonly GridCell[],
  below: readonly GridRow[],
): boolean {
  if (evidence !== undefined) return evidence !== 'types';
  const columns = [...cells.keys()].filter((column) => isFilled(cells[column]));
  const figures = columns.filter((column) => !isText(cells[column])).map((column) => cells[column]);
  const texts = columns.filter((column) => isText(cells[column]));
  if (texts.length === 0)
    return figures.length > 1 && (isSequence(figures) || (figures.length > 2 && isInOrder(figures)));
  return isInOrder(figures) && texts.some((column) => isUnlike(cells[column], column, below));
}

/** Returns true if a row of ordered years is above other numbers. Some of these numbers may look like years. */
function isAboveFigures(cells: readonly GridCell[], columns: readonly number[], below: readonly GridRow[]): boolean {
  const areYears = (row: readonly GridCell[]): boolean =>
    columns.every((column) => isYear(Number(textOf(row[column]))));
  const isOrdered = isInOrder(columns.map((column) => cells[column]));
  return isOrdered && areYears(cells) && below.length > 0 && !below.some((row) => areYears(row.cells));
}

/** Returns true if a row has many ordered whole numbers or dates and the rows below are not ordered in the same way. */
function isLongScale(cells: readonly GridCell[], columns: readonly number[], below: readonly GridRow[]): boolean {
  const orderIn = (row: readonly GridCell[]): number => orderOf(columns.map((column) => row[column]));
  const order = orderIn(cells);
  const isCount = (number: number): boolean => !(number < 0 || number % 1 > 0);
  const areCounts = columns.every((column) => isCount(Number(textOf(cells[column]))));
  return (
    columns.length >= SCALE_COLUMNS && order !== 0 && areCounts && below.some((row) => orderIn(row.cells) !== order)
  );
}

const isInOrder = (cells: readonly GridCell[]): boolean => orderOf(cells) !== 0;

/** Returns 1 if the row has several numbers or dates in ascending order, -1 for descending order, and 0 otherwise. */
function orderOf(cells: readonly GridCell[]): number {
  const texts = cells.map(textOf);
  const numbers = texts.map((text) => (text === '' ? NaN : Number(text)));
  const values = numbers.every(Number.isFinite) ? numbers : texts.map((text) => Date.parse(text));
  const order = Math.sign(values[1]! - values[0]!);
  return values.every((value, at) => at === 0 || Math.sign(value - values[at - 1]!) === order) ? order || 0 : 0;
}

/**
 * Returns true if numbers increase in equal steps, possibly across the end of a year or a week, or if dates increase. Two numbers
 * must be consecutive, and a single number must be a year.
 */
export function isSequence(cells: readonly GridCell[]): boolean {
  const texts = cells.map(textOf);
  const numbers = unrolled(texts.map(Number));
  if (numbers.every((number) => Number.isFinite(number))) {
    const step = numbers.length > 1 ? numbers[1]! - numbers[0]! : 1;
    const isEven = numbers.every((number, at) => at === 0 || number - numbers[at - 1]! === step);
    if (numbers.length === 1) return isYear(numbers[0]!);
    return isEven && step > 0 && (numbers.length > 2 || step === 1);
  }
  const times = texts.map((text) => Date.parse(text));
  return times.length > 1 && times.every((time, at) => at === 0 || time > times[at - 1]!);
}

/** Continues numbers that restart after the end of a cycle: the weeks 51, 52, 1, 2 become 51, 52, 53, 54. */
function unrolled(numbers: readonly number[]): readonly number[] {
  const start = numbers.findIndex((number, at) => at > 0 && number < numbers[at - 1]!);
  const end = numbers[start - 1] ?? NaN;
  const isCycle =
    numbers.length >= SCALE_COLUMNS && CYCLE_ENDS.has(end) && (numbers[start] === 0 || numbers[start] === 1);
  return isCycle ? numbers.map((number, at) => (at < start ? number : number - numbers[start]! + end + 1)) : numbers;
}

export const isYear = (number: number): boolean => Number.isInteger(number) && number >= 1900 && number <= 2100;

/** Returns true if a cell differs from every cell below it in its column, and not only by its digits. */
function isUnlike(cell: GridCell, column: number, below: readonly GridRow[]): boolean {
  const shape = shapeOf(cell);
  return !isFilled(cell) || below.every(({ cells }) => shapeOf(cells[column]) !== shape);
}

function shapeOf(cell: GridCell): string {
  const text = textOf(cell).toLowerCase();
  return /\d/.test(text) ? text.replace(/\d+/g, '0').replace(/\p{L}+/gu, 'a') : text;
}
