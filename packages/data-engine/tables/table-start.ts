import type { LeftOut } from '../tasks.js';
import { ColumnProfiles } from './column-types.js';
import {
  countFilled,
  type GridCell,
  type GridRow,
  isComment,
  isFilled,
  isText,
  isTextRow,
  observeCell,
  textOf,
} from './grid.js';
import { type HeaderEvidence, headerEvidence, isSequence, isYear } from './header.js';
import { addLeftOut, leftOutEntry } from './left-out.js';

/** Maximum number of rows that are compared with the header above them. */
const ROWS_BELOW = 200;

/** Start of the table in a file. */
export interface TableStart {
  /** Number of the header row, or of the first row of a table without a header. */
  start: number;
  /** Usual number of filled cells. */
  usual: number;
  above: LeftOut[];
  /** Number of rows above the table that cannot be titles. Always 0 without `ignoreErrors`. */
  skipped: number;
  isUncertain: boolean;
}

export interface StartOptions<Row extends GridRow = GridRow> {
  /** Returns true if a row has as many delimiters as most rows. Undefined for sheets. */
  isFull?: (row: Row) => boolean;
  ignoreErrors?: boolean;
}

/**
 * Finds the first row of a table. Rows above the first row with the usual number of filled cells are titles. Only text can be a
 * title, unless an unmistakable header follows. A short row of text directly above numbers is a header with missing names.
 *
 * @param all the first rows of the file
 */
export function findStart<Row extends GridRow>(
  all: readonly Row[],
  { isFull = () => true, ignoreErrors = false }: StartOptions<Row> = {},
): TableStart {
  const rows = all.filter((row) => countFilled(row) > 0);
  const usual = usualCount(rows.filter((row) => isFull(row) && !isComment(row)).map(countFilled));
  const isWide = (row: Row): boolean => isFull(row) && countFilled(row) >= usual;
  const wide = rows.findIndex((row) => isWide(row) && !isComment(row));
  const first = wide >= 0 ? wide : Math.max(0, rows.findIndex(isWide));
  const behindGap = headerBehindGap(rows, first, isWide, isFull);
  const place = behindGap ?? first;
  const comparison = compareBelow(rows, place, isFull);
  const { evidence } = comparison;
  const isCertain = evidence === 'types' && isHeaderAlone(rows[place]!);
  let start = place;
  let skipped = 0;
  let isUncertain = behindGap !== undefined;
  const canBeAbove = (row: Row): boolean => isCertain || isComment(row) || isTextRow(row) || isLabel(row, comparison);
  const figures = rows.slice(0, place).findIndex((row) => !canBeAbove(row));
  if (figures >= 0) {
    start = ignoreErrors ? rows.findIndex((row, at) => at >= figures && isFull(row)) : figures;
    skipped = start - figures;
  }
  const title = rows[start - 1];
  if (title !== undefined && !isCertain) {
    isUncertain = true;
    const isAdjacent = title.number === rows[start]!.number - 1 && isTextRow(title) && skipped === 0;
    if (isAdjacent && !(isComment(title) && !isWide(title)) && isNarrowHeader(title)) {
      if (isFull(title) || !ignoreErrors) start -= 1;
      else skipped = 1;
    }
  }
  const above: LeftOut[] = [];
  for (const run of runsOf(rows.slice(0, start - skipped))) {
    const isTable = isTableAbove(run);
    // The caller may want this other table instead, because it has a header.
    if (isTable && run.length > 2 && isTextRow(run[0]!)) isUncertain = true;
    for (const row of run) {
      const kind = isComment(row) ? 'comment' : isTable ? 'table' : row.cells.some(isText) ? 'title' : 'note';
      addLeftOut(above, leftOutEntry('above', kind, row));
    }
  }
  return { start: rows[start]?.number ?? 1, usual, above, skipped, isUncertain };

  function isNarrowHeader(row: Row): boolean {
    const filled = countFilled(row);
    if (evidence === 'texts' || evidence === 'sequence') return isFull(row) && filled * 2 > usual;
    return filled >= 2 || (isFull(row) && usual <= 2);
  }
}

/** Maximum number of rows in a list of values above an empty row. */
const MAX_VALUES = 20;

/**
 * Returns the index of a header that follows an empty row, if the rows above it are only a list of values, such as `Date` and
 * 2025-01-02. Returns undefined if they are a separate table with a header and at least as many rows as the table below.
 */
function headerBehindGap<Row extends GridRow>(
  rows: readonly Row[],
  first: number,
  isWide: (row: Row) => boolean,
  isFull: (row: Row) => boolean,
): number | undefined {
  if (rows.length === 0 || compareBelow(rows, first, isFull).evidence === 'types') return undefined;
  const names = rows[first]!.cells.map(textOf).join('\n');
  for (let at = first + 1; at <= Math.min(first + MAX_VALUES, rows.length - 2); at += 1) {
    const row = rows[at]!;
    if (row.number === rows[at - 1]!.number + 1 || !isWide(row) || !isTextRow(row)) continue;
    if (compareBelow(rows, at, isFull).evidence !== 'types' || row.cells.map(textOf).join('\n') === names) continue;
    const above = rows.slice(first, at);
    const isTable = compareBelow(above, 0, isFull).evidence === 'types';
    return isTable && above.length >= rows.length - at ? undefined : at;
  }
  return undefined;
}

/** Returns true if the row at an index holds the column names for the rows below. */
export const isHeaderAt = <Row extends GridRow>(
  rows: readonly Row[],
  place: number,
  { isFull = () => true }: StartOptions<Row>,
): boolean => compareBelow(rows, place, isFull).evidence !== undefined;

/** Splits rows into runs. Empty rows, comments and rows with a single cell separate the runs. */
function runsOf(rows: readonly GridRow[]): GridRow[][] {
  const runs: GridRow[][] = [];
  let before: GridRow | undefined;
  const isPart = (row: GridRow): boolean => countFilled(row) > 1 && !isComment(row);
  for (const row of rows) {
    if (before?.number === row.number - 1 && isPart(before) && isPart(row)) runs.at(-1)!.push(row);
    else runs.push([row]);
    before = row;
  }
  return runs;
}

/** Maximum number of filled cells in a row with a single value: a name, the value and a unit. */
const MAX_VALUE_CELLS = 3;

/** Returns true if rows contain numbers, as in another table or in a list of values such as `Capacity` and 500. */
function isTableAbove(rows: readonly GridRow[]): boolean {
  const figures = rows.map(({ cells }) => cells.filter((cell) => isFigure(cell)));
  if (rows.some((row) => countFilled(row) < 2 || isComment(row))) return false;
  if (rows.length > 1) return figures.some((ofRow) => ofRow.length > 0);
  return figures[0]?.length === 1 && rows[0]!.cells.some(isText) && countFilled(rows[0]!) <= MAX_VALUE_CELLS;
}

/** Returns true if a cell contains a number that is unlikely to be a year. */
function isFigure(cell: GridCell): boolean {
  const profiles = profilesOf([{ cells: [cell] }]);
  return profiles.isNumeric(0) && !isYear(Number(textOf(cell)));
}

/** Maximum number of title rows above a header that has no data rows below it. */
const TITLES_ABOVE_HEADER = 5;

/**
 * Returns the most frequent count. Each count is compared only with the counts from its first occurrence onwards. A count of 1
 * is used only if no other count is frequent enough.
 */
export function usualCount(counts: readonly number[]): number {
  const times = (count: number, from = 0): number => counts.slice(from).filter((other) => other === count).length;
  const distinct = [...new Set(counts)].map((count) => ({ count, first: counts.indexOf(count) }));
  const steady = distinct.filter(({ count, first }) => {
    const rows = times(count, first);
    const isTable = rows > 1 || (count > 2 && first <= TITLES_ABOVE_HEADER);
    return count > 1 && isTable && rows * 2 >= counts.length - first;
  });
  const [best] = (steady.length > 0 ? steady : distinct).toSorted(
    (a, b) => times(b.count) - times(a.count) || b.count - a.count,
  );
  return best?.count ?? 0;
}

/** Result of comparing a row with the rows below it. */
interface Comparison {
  evidence: HeaderEvidence | undefined;
  /** Profiles of the rows below. */
  profiles: ColumnProfiles;
  below: readonly GridRow[];
}

function compareBelow<Row extends GridRow>(
  rows: readonly Row[],
  place: number,
  isFull: (row: Row) => boolean,
): Comparison {
  const cells = rows[place]?.cells ?? [];
  const below = rows
    .slice(place + 1)
    .filter(isFull)
    .slice(0, ROWS_BELOW);
  const profiles = profilesOf(below);
  const evidence = headerEvidence(cells, profilesOf([{ cells }], profiles.width), profiles, below);
  return { evidence, profiles, below };
}

function profilesOf(rows: readonly Pick<GridRow, 'cells'>[], width = 0): ColumnProfiles {
  const profiles = new ColumnProfiles(Math.max(width, ...rows.map(({ cells }) => cells.length)));
  for (const { cells } of rows) for (const [column, cell] of cells.entries()) observeCell(profiles, column, cell);
  return profiles;
}

/** Returns true if a row can only be a header: text, possibly with numbers that increase in equal steps. */
function isHeaderAlone({ cells }: GridRow): boolean {
  const others = cells.filter((cell) => isFilled(cell) && !isText(cell));
  return others.length === 0 || isSequence(others);
}

/**
 * Returns true if a row consists of text and values unlike the columns below, such as `Printed on` and a date above numbers or
 * text.
 */
function isLabel({ cells }: GridRow, { profiles, below }: Comparison): boolean {
  const ofRow = profilesOf([{ cells }], profiles.width);
  const isUnlike = (column: number): boolean =>
    profiles.isTyped(column)
      ? !profiles.isLike(column, ofRow)
      : below.every((row) => !isFilled(row.cells[column]) || isText(row.cells[column]));
  return (
    isText(cells.find(isFilled)) && cells.every((cell, column) => !isFilled(cell) || isText(cell) || isUnlike(column))
  );
}
