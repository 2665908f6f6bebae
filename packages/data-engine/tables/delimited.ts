import { join } from 'node:path';
import type { ConvertTask, Dialect, DialectOptions, LeftOut } from '../tasks.js';
import { columnNames } from './column-names.js';
import { TableSums } from './column-sums.js';
import { ColumnProfiles } from './column-types.js';
import { rewriteRows } from './delimited-rewrite.js';
import { DelimitedScan } from './delimited-scan.js';
import { type Cells, cellsOf } from './dialect.js';
import { dialectOf, noRows, startOf } from './extent.js';
import { type GridCell, type GridRow, observeCells, textOf } from './grid.js';
import { headerEvidence, isUncertainHeader } from './header.js';
import { leftOutEntry } from './left-out.js';
import type { TextTable } from './parquet-writer.js';
import type { Reading } from './readings.js';
import type { RecordScanner } from './record-scanner.js';
import { leftOutEntries, MAX_CELLS, NO_SUBTOTALS, type Subtotals, SubtotalSearch } from './subtotals.js';
import type { TailRow } from './table-end.js';
import { readRows, readStart, type TextFile, withText } from './text-file.js';

/** Result of reading all cells of a CSV or TSV file. */
export interface DelimitedTable extends TextTable {
  dialect: Dialect;
  leftOut: LeftOut[];
  skipped: number;
}

/**
 * Detects the dialect, header and types of a CSV or TSV file from all of its rows. DuckDB reads most files directly. Files with
 * titles, ragged rows, mixed line endings or another encoding are rewritten to `scratch`.
 *
 * @throws TaskProblem `ragged_row`, `unreadable`, `invalid_dialect`
 */
export async function readDelimited(task: ConvertTask, scratch: string, signal?: AbortSignal): Promise<DelimitedTable> {
  const readFile = (file: TextFile) => readText(file, task, scratch, signal);
  const { ignoreErrors, dialect } = task;
  return withText(task.from, join(scratch, 'utf-8'), readFile, signal, { ignoreErrors, encoding: dialect?.encoding });
}

/** @param leftOut subtotals that an earlier call found */
async function readText(
  file: TextFile,
  task: ConvertTask,
  scratch: string,
  signal?: AbortSignal,
  leftOut?: Subtotals,
): Promise<DelimitedTable> {
  const { format, ignoreErrors, dialect: options = {} } = task;
  const cells = cellsOf(await readStart(file.path, file.start), format, options);
  const rule = cells.delimiter === '|' ? cells.rows.find(isMarkdownRule) : undefined;
  const rowsOfTable = cells.rows.filter((row) => row !== rule);
  const isFull = ({ size }: Cells['rows'][number]): boolean =>
    size === cells.usual || (cells.hasTrailing && size === cells.usual + 1);
  const start = startOf(rowsOfTable, options, { isFull, ignoreErrors });
  const { delimiter, quote, hasTrailing } = cells;
  const scan = new DelimitedScan({
    ...start,
    delimiter,
    quote,
    hasTrailing,
    ignoreErrors,
    rule: rule?.number,
    isSpaced: rowsOfTable
      .filter(({ number }) => number >= start.start)
      .slice(0, 2)
      .some(isSpaced),
    leftOut: leftOut?.rows ?? NO_SUBTOTALS.rows,
    hasGroups: (leftOut?.rows.size ?? 0) > 0 || options.subtotals === 'keep',
  });
  await readRows(file, (...place) => scan.next(...place), signal);
  const { first, firstProfiles, profiles, numbering, tail } = scan;
  if (first === undefined) throw noRows(options, scan.records, 'The file is empty');
  const texts = first.map((cell) => cell.toString());
  const all = new ColumnProfiles(profiles.width);
  all.include(profiles);
  for (const row of tail.rowsOfTable) observeCells(all, row.cells);
  const rowsBelow = rowsOfTable.filter(({ number }) => number > numbering.first);
  const evidence = headerEvidence(texts, firstProfiles, all, rowsBelow);
  const header = start.header ?? evidence !== undefined;
  const dropsFirst = header || start.first !== undefined;
  const usual = delimiter === ';' ? ',' : '.';
  const { readings: likely } = all.readingsOf(columnNames(texts), usual, options);
  const subtotals =
    leftOut ?? (mayHaveTotals(scan) ? await subtotalsOf(scan, file, likely, options, signal) : NO_SUBTOTALS);
  if (leftOut === undefined && subtotals.rows.size > 0) return readText(file, task, scratch, signal, subtotals);
  const isSum =
    tail.totals.length === 0 ? () => false : await sumsOf(scan, file, dropsFirst, likely, subtotals, signal);
  const { below, otherEnd } = scan.close(isSum);
  if (!dropsFirst) profiles.include(firstProfiles);
  // If every row ends with a delimiter, the empty cells after it are not a column.
  const isTrailing = first.length > 1 && first.at(-1)!.length === 0 && !profiles.hasValues(first.length - 1);
  const width = isTrailing ? first.length - 1 : first.length;
  // In a Markdown table, every row begins with a delimiter.
  const firstColumn = rule !== undefined && first[0]!.length === 0 && !profiles.hasValues(0) ? 1 : 0;
  const rawNames = texts.slice(firstColumn, width).map((name) => (header ? name : ''));
  const names = columnNames(rawNames);
  const types = profiles.readingsOf([...texts.slice(0, firstColumn), ...names], usual, options);
  const rowNumbers = numbering.list(dropsFirst);
  const rows = numbering.count - (dropsFirst ? 1 : 0);
  const table = {
    firstColumn,
    names,
    rawNames,
    readings: types.readings.slice(firstColumn),
    profiles,
    rows,
    rowNumbers,
    skipped: scan.skipped + start.skipped,
    leftOut: [
      ...start.above,
      ...(rule !== undefined && rule.number > start.start ? [leftOutEntry('inside', 'note', rule)] : []),
      ...leftOutEntries(subtotals, numbering.last),
      ...below,
    ],
    dialect: dialectOf(types, options, {
      cells: { delimiter, quote, encoding: file.encoding, other_encodings: file.otherEncodings },
      header,
      numbering,
      rowNumbers,
      lastOfFile: scan.records,
      otherEnd,
      subtotals: subtotals.choice,
      uncertain: [
        ...(cells.isUncertain ? (['delimiter'] as const) : []),
        ...(isGuess(file.encoding) ? (['encoding'] as const) : []),
        ...(start.isUncertain || isUncertainHeader(evidence, texts, rowsBelow) ? (['header'] as const) : []),
        ...(subtotals.isUncertain ? (['subtotals'] as const) : []),
        // Where commas separate cells, a decimal comma is unusual even in quoted cells.
        ...(delimiter === ',' && types.decimal === ',' ? (['decimal'] as const) : []),
      ],
    }),
  };
  const { scanner } = scan;
  if (scan.isOdd || file.start > 0)
    return {
      ...table,
      source: await rewriteRows(scan, file, { path: join(scratch, 'rows'), dropsFirst, width }, signal),
    };
  return {
    ...table,
    source: {
      path: file.path,
      delimiter,
      // In a file without quoted cells, a quote is an ordinary character.
      quote: scanner.hasQuotes ? quote : '',
      header: dropsFirst,
      columns: first.length,
      isRagged: false,
      newLine: scanner.newLine,
      nullToken: '',
      hasNewlines: scanner.hasNewlinesInCells,
      longestRow: scanner.longest,
    },
  };
}

/** Returns true for the divider row between the names and the data of a Markdown table, such as `|---|:--:|`. */
const isMarkdownRule = ({ cells }: GridRow): boolean => {
  const texts = cells.map(textOf).filter(Boolean);
  return texts.some((text) => text.length > 2) && texts.every((text) => /^:?-+:?$/.test(text));
};

/** Returns true if a cell after a delimiter starts with a blank. */
const isSpaced = ({ cells }: GridRow): boolean =>
  cells.slice(1).some((cell) => typeof cell === 'string' && cell.startsWith(' '));

/** Returns true if an encoding is a guess. A byte order mark or valid UTF-8 is proof. */
const isGuess = (encoding: string): boolean => !encoding.startsWith('utf-');

const mayHaveTotals = ({ hasTotals, records, profiles }: DelimitedScan): boolean =>
  hasTotals || records * profiles.width <= MAX_CELLS;

/** Finds subtotals. Reads the file a second time. */
async function subtotalsOf(
  scan: DelimitedScan,
  file: TextFile,
  readings: readonly Reading[],
  { subtotals, last_row }: DialectOptions,
  signal?: AbortSignal,
): Promise<Subtotals> {
  const search = new SubtotalSearch();
  const onRow = (scanner: RecordScanner, number: number): void => {
    const cells = cellsOfRow(scanner, readings.length);
    search.add({ number, cells }, numbersOf(cells, readings));
  };
  await scan.reread(file, scan.records, onRow, signal);
  return search.result(subtotals, last_row);
}

/** Adds up the columns of the rows above the tail, with and without subtotals. Reads the file a second time. */
async function sumsOf(
  scan: DelimitedScan,
  file: TextFile,
  dropsFirst: boolean,
  readings: readonly Reading[],
  subtotals: Subtotals,
  signal?: AbortSignal,
): Promise<(total: TailRow, rows: readonly TailRow[]) => boolean> {
  const sums = new TableSums(subtotals.sums);
  let isFirst = dropsFirst;
  const onRow = (scanner: RecordScanner, number: number): void => {
    if (scanner.isBlankLine()) return;
    if (!isFirst) sums.add(number, numbersOf(cellsOfRow(scanner, readings.length), readings));
    isFirst = false;
  };
  await scan.reread(file, scan.numbering.last, onRow, signal);
  return (total, rows) => sums.areOf(total, rows, ({ cells }) => numbersOf(cells, readings));
}

const cellsOfRow = (scanner: RecordScanner, width: number): GridCell[] =>
  Array.from({ length: width }, (_, cell) =>
    cell < scanner.cells && !scanner.isEmpty(cell) ? scanner.content(cell).toString() : undefined,
  );

const numbersOf = (cells: readonly GridCell[], readings: readonly Reading[]): (number | undefined)[] =>
  readings.map((reading, column) => toNumber(cells[column], reading));

/** Parses a text cell in a numeric column. Returns undefined for other cells. */
function toNumber(cell: GridCell, reading: Reading): number | undefined {
  if (!('thousands' in reading) || typeof cell !== 'string' || cell.trim() === '') return undefined;
  const groups = { ' ': /\s/g, "'": /['\u2019]/g, '.': /\./g, ',': /,/g }[reading.thousands] ?? /[%\s]/g;
  const number = Number(cell.replace(groups, '').replace('%', '').replace(',', '.').trim());
  return Number.isFinite(number) ? number : undefined;
}
