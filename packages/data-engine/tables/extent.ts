import { type Dialect, type DialectOptions, type LeftOut, TaskProblem, type UncertainField } from '../tasks.js';
import type { GridRow } from './grid.js';
import type { TableReadings } from './readings.js';
import type { RowNumbering, RowNumbers } from './row-numbers.js';
import { findStart, isHeaderAt, type StartOptions } from './table-start.js';

/**
 * Range of rows that form a table. It is taken from the caller's options or, if they are absent, detected from the first rows.
 */
export interface Extent {
  /** Header row, or the first row of a table without a header. */
  start: number;
  /** First and last data row, if the caller specified them. */
  first?: number;
  last?: number;
  /** Whether the table has a header, if the caller specified it. */
  header?: boolean;
  usual: number;
  above: LeftOut[];
  skipped: number;
  isUncertain: boolean;
}

/** @param rows the first rows of the file, without empty rows */
export function startOf<Row extends GridRow>(
  rows: readonly Row[],
  { header, header_row, first_row, last_row }: DialectOptions,
  options: StartOptions<Row> = {},
): Extent {
  const last = last_row === undefined ? {} : { last: last_row };
  const detected = findStart(rows, options);
  const names = header_row ?? (header === false ? first_row : namesAbove(rows, first_row, detected.start, options));
  if (header === true && names !== undefined && names === first_row)
    throw invalid(
      'first_row',
      `No row above row ${first_row} contains column names. Choose a later row, or set \`header\` to false.`,
    );
  if (names === undefined) return { ...detected, ...(header !== undefined && { header }), ...last };
  return {
    start: names,
    ...(first_row !== undefined && names < first_row && { first: first_row }),
    ...last,
    // Without a row above the data, there are no column names.
    ...(header_row !== undefined ? { header: true } : names === first_row ? { header: false } : header && { header }),
    usual: detected.usual,
    above: detected.above.filter((part) => part.last < names),
    skipped: 0,
    isUncertain: false,
  };
}

/**
 * Returns the row above the first data row that may hold the column names. This is the nearest row, unless the nearest row is
 * also data and the table begins above it. Returns the first data row itself if there is no row above it.
 */
function namesAbove<Row extends GridRow>(
  rows: readonly Row[],
  first: number | undefined,
  start: number,
  options: StartOptions<Row>,
): number | undefined {
  if (first === undefined) return undefined;
  const nearest = rows.findLastIndex(({ number }) => number < first);
  if (nearest < 0) return first;
  const isData = start < first && !isHeaderAt(rows, nearest, options);
  return isData ? start : rows[nearest]!.number;
}

/** Result of reading all rows of a table. */
export interface ReadTable {
  cells: Pick<Dialect, 'delimiter' | 'quote' | 'encoding' | 'other_encodings'>;
  header: boolean;
  numbering: RowNumbering;
  /** Numbers of the data rows in the file. */
  rowNumbers: readonly RowNumbers[];
  /** Number of the last row in the file. */
  lastOfFile: number;
  /** First of the last rows that may not belong to the table. */
  otherEnd: number | undefined;
  subtotals: Dialect['subtotals'];
  uncertain: readonly UncertainField[];
}

/**
 * Describes how a table was read.
 *
 * @throws TaskProblem `invalid_dialect` if the options name rows beyond the end of the file
 */
export function dialectOf(
  { decimal, thousands, date_order, uncertain: types }: TableReadings,
  options: DialectOptions,
  { cells, header, numbering, rowNumbers, lastOfFile, otherEnd, subtotals, uncertain }: ReadTable,
): Dialect {
  const first_row = rowNumbers[0]?.row ?? null;
  const header_row = header ? numbering.first : null;
  assertRows(options, { header_row, first_row, lastOfFile });
  return {
    ...cells,
    header,
    header_row,
    first_row,
    last_row: first_row === null ? null : numbering.last,
    other_last_row: otherEnd === undefined || options.last_row !== undefined ? null : numbering.lastAbove(otherEnd),
    decimal,
    thousands,
    date_order,
    subtotals,
    uncertain: [
      ...new Set([...uncertain, ...(otherEnd === undefined ? [] : (['last_row'] as const)), ...types]),
    ].filter((field) => !isChosen(field, options)),
  };
}

function isChosen(field: UncertainField, options: DialectOptions): boolean {
  if (field === 'header') return options.header !== undefined || options.header_row !== undefined;
  return options[field] !== undefined;
}

/** Returns the problem to report if no row of a file could be read. */
export function noRows({ header_row, first_row }: DialectOptions, lastOfFile: number, sentence: string): TaskProblem {
  const row = header_row ?? first_row;
  return row === undefined || lastOfFile === 0
    ? new TaskProblem('unreadable', sentence)
    : beyondEnd(header_row === undefined ? 'first_row' : 'header_row', row, lastOfFile);
}

function assertRows(
  options: DialectOptions,
  actualRows: Pick<Dialect, 'header_row' | 'first_row'> & { lastOfFile: number },
): void {
  for (const field of ['header_row', 'first_row', 'last_row'] as const) {
    const row = options[field];
    if (row === undefined) continue;
    if (row > actualRows.lastOfFile) throw beyondEnd(field, row, actualRows.lastOfFile);
    if (field !== 'last_row' && row !== actualRows[field])
      throw invalid(field, `Row ${row} is empty or outside the table. Choose a row with cells.`);
  }
}

const beyondEnd = (field: keyof DialectOptions, row: number, last: number): TaskProblem =>
  invalid(field, `The file has no row ${row}. Choose a row up to ${last}, the last one.`);

export const invalid = (field: keyof DialectOptions, sentence: string): TaskProblem =>
  new TaskProblem('invalid_dialect', sentence, { loc: [field] });
