import type { LeftOut } from '../tasks.js';
import { ColumnProfiles } from './column-types.js';
import { countFilled, type GridRow, isComment, isFilled, isText, isTextRow, leaveOut, leftOutRow, observeCell } from './grid.js';
import { type HeaderEvidence, headerEvidence, isSequence } from './header.js';

/** Rows below a header that are compared with it. */
const ROWS_BELOW = 200;

/** Where the table of a file begins. */
export interface TableStart {
  /** Number of the row with the header, or of the first row of a table without header. */
  start: number;
  /** Usual number of filled cells. */
  usual: number;
  above: LeftOut[];
  /** Rows above the table that cannot be titles; only with `ignoreErrors`. */
  skipped: number;
  isUncertain: boolean;
}

export interface StartOptions<Row extends GridRow = GridRow> {
  /** Whether a row has as many delimiters as most others. Absent for sheets. */
  isFull?: (row: Row) => boolean;
  ignoreErrors?: boolean;
}

/**
 * Finds the first row of a table. The usual number of filled cells decides: narrower rows above the first usual one are titles.
 * Only texts can be titles, unless an unmistakable header follows. A narrow row of texts directly above figures is a header with
 * missing names.
 *
 * @param rows the first rows of the file, without empty ones
 */
export function findStart<Row extends GridRow>(
  rows: readonly Row[],
  { isFull = () => true, ignoreErrors = false }: StartOptions<Row> = {},
): TableStart {
  const usual = usualCount(rows.filter((row) => isFull(row) && !isComment(row)).map(countFilled));
  const isWide = (row: Row): boolean => isFull(row) && countFilled(row) >= usual;
  const wide = rows.findIndex((row) => isWide(row) && !isComment(row));
  const place = wide >= 0 ? wide : Math.max(0, rows.findIndex(isWide));
  const evidence = evidenceAt(rows, place, isFull);
  const isCertain = hasCertainHeader(rows[place], evidence);
  let start = place;
  let skipped = 0;
  let isUncertain = false;
  const canBeAbove = (row: Row): boolean => isCertain || isComment(row) || isTextRow(row);
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
  for (const row of rows.slice(0, start - skipped)) {
    const kind = isComment(row) ? 'comment' : row.cells.some(isText) ? 'title' : 'note';
    leaveOut(above, leftOutRow('above', kind, row));
  }
  return { start: rows[start]?.number ?? 1, usual, above, skipped, isUncertain };

  function isNarrowHeader(row: Row): boolean {
    const filled = countFilled(row);
    if (evidence === 'texts') return isFull(row) && filled * 2 > usual;
    return filled >= 2 || (isFull(row) && usual <= 2);
  }
}

/** Rows with titles above a table of a header alone. */
const TITLES_ABOVE_HEADER = 5;

/** The count that most rows have from the first one with it on. A count of 1 is usual only if no other one is. */
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

function evidenceAt<Row extends GridRow>(
  rows: readonly Row[],
  place: number,
  isFull: (row: Row) => boolean,
): HeaderEvidence | undefined {
  const row = rows[place];
  if (row === undefined) return undefined;
  const below = rows.slice(place + 1).filter(isFull).slice(0, ROWS_BELOW);
  const width = Math.max(...[row, ...below].map(({ cells }) => cells.length));
  const [ofRow, profiles] = [new ColumnProfiles(width), new ColumnProfiles(width)];
  for (const [column, cell] of row.cells.entries()) observeCell(ofRow, column, cell);
  for (const { cells } of below) for (const [column, cell] of cells.entries()) observeCell(profiles, column, cell);
  return headerEvidence(row.cells, ofRow, profiles, below);
}

/** Whether a row can be nothing but a header: texts above other types, perhaps with a sequence beside them. */
function hasCertainHeader(row: GridRow | undefined, evidence: HeaderEvidence | undefined): boolean {
  if (row === undefined || evidence === undefined || evidence === 'texts') return false;
  const others = row.cells.filter((cell) => isFilled(cell) && !isText(cell));
  return others.length === 0 || isSequence(others);
}
