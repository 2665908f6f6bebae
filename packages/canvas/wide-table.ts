import type { ColumnCells, TableColumn } from '../data-engine/index.js';
import { type DateReading, isoDate } from '../modelling/index.js';
import { withValues } from './column-values.js';
import type { DataFile, FactsOfColumn, FileFacts } from './data-file.js';

/*
 * A wide table has a column for each member of a set. It is read as a long table with a row for each filled cell: the key
 * columns, the header of the cell's column, and the cell.
 */

/** Names of two columns of the long table. They differ from all columns of a file, whose names have no surrounding spaces. */
export const HEADERS = ' headers';
export const CELLS = ' cells';

/** Column of a wide table that is not a key. */
export interface WideColumn {
  /** Name in the table, which is unique. */
  name: string;
  /** Member that the column represents. */
  header: string;
  /** Number in the table, starting at 1. */
  number: number;
  type: FactsOfColumn['type'];
  isEmpty: boolean;
}

type Key = Pick<DataFile, 'key' | 'columnsAs'>;

/** Returns the columns that identify a member, in the long form of a wide table. */
export const keyColumns = ({ key, columnsAs }: Key): readonly string[] =>
  columnsAs === undefined ? key : [...key, HEADERS];

/** Returns the titles of the key parts of a set in a file. */
export const titlesOf = ({ key, columnsAs }: Key): readonly string[] =>
  columnsAs === undefined ? key : [...key, columnsAs];

/** Returns the columns of a wide table except for key columns. Columns without a header are `unnamed`. */
export function wideColumns(
  columns: readonly TableColumn[],
  key: readonly string[],
  rows: number,
): { columns: WideColumn[]; unnamed: WideColumn[] } {
  const all = columns.map(({ name, header = name, type, nulls }, at): WideColumn => {
    const isFigure = type === 'integer' || type === 'number';
    return { name, header, number: at + 1, type: isFigure ? 'number' : 'text', isEmpty: nulls === rows };
  });
  const others = all.filter(({ name }) => !key.includes(name));
  return {
    columns: others.filter(({ header }) => header !== ''),
    unnamed: others.filter(({ header, isEmpty }) => header === '' && !isEmpty),
  };
}

/** Returns the first header that two columns share. */
export function doubledHeader(columns: readonly WideColumn[]): FileFacts['doubledHeader'] {
  const numbers = new Map<string, number>();
  for (const { header, number } of columns) {
    const first = numbers.get(header);
    if (first !== undefined) return { header, columns: [first, number] };
    numbers.set(header, number);
  }
  return undefined;
}

/** Returns the date format of headers that are all dates in ISO format. */
export const readingOfHeaders = (headers: readonly string[]): DateReading | undefined =>
  headers.length > 0 && headers.every((header) => isoDate(header) === header) ? { type: 'date' } : undefined;

/** Row and column of each filled cell of a wide table, and the cells themselves, in row order. */
interface FilledCells {
  rows: Int32Array;
  columns: Int32Array;
  cells: ColumnCells;
}

/** Lists the filled cells of columns. If a column has texts, all cells are texts. */
export function filledCells(columns: readonly ColumnCells[], rowCount: number): FilledCells {
  // Whole columns are read one after another, because this is much faster than reading a cell of each column in turn.
  const counts = new Int32Array(rowCount);
  for (const column of columns)
    for (let row = 0; row < rowCount; row += 1) if (isFilled(column, row)) counts[row]! += 1;
  const next = new Int32Array(rowCount);
  for (let row = 1; row < rowCount; row += 1) next[row] = next[row - 1]! + counts[row - 1]!;
  const size = counts.reduce((sum, count) => sum + count, 0);
  const [rows, places, figures] = [new Int32Array(size), new Int32Array(size), new Float64Array(size)];
  for (const [place, column] of columns.entries())
    for (let row = 0; row < rowCount; row += 1) {
      if (!isFilled(column, row)) continue;
      const at = next[row]!;
      next[row] = at + 1;
      rows[at] = row;
      places[at] = place;
      if (column.type === 'number') figures[at] = column.figures[row]!;
    }
  const isText = columns.some((column) => column.type === 'text' && column.texts.length > 0);
  return { rows, columns: places, cells: isText ? textsAt(columns, rows, places) : { type: 'number', figures } };
}

const isFilled = (cells: ColumnCells, row: number): boolean =>
  cells.type === 'number' ? !Number.isNaN(cells.figures[row]!) : cells.places[row]! >= 0;

function textsAt(columns: readonly ColumnCells[], rows: Int32Array, places: Int32Array): ColumnCells {
  const placesByText = new Map<string, number>();
  const cells = new Int32Array(rows.length);
  for (let at = 0; at < rows.length; at += 1) {
    const text = textAt(columns[places[at]!]!, rows[at]!);
    const place = placesByText.get(text) ?? placesByText.size;
    placesByText.set(text, place);
    cells[at] = place;
  }
  return { type: 'text', texts: [...placesByText.keys()], places: cells };
}

/** Returns the text of a filled cell. */
export const textAt = (cells: ColumnCells, row: number): string =>
  cells.type === 'number' ? String(cells.figures[row]) : cells.texts[cells.places[row]!]!;

/** Returns the cells in the given rows, with only their own texts in order of appearance. */
function cellsAt(cells: ColumnCells, rows: Int32Array): ColumnCells {
  if (cells.type === 'number') {
    const figures = new Float64Array(rows.length);
    for (let at = 0; at < rows.length; at += 1) figures[at] = cells.figures[rows[at]!]!;
    return { type: 'number', figures };
  }
  const texts: string[] = [];
  const newPlaces = new Int32Array(cells.texts.length).fill(-1);
  const places = new Int32Array(rows.length);
  for (let at = 0; at < rows.length; at += 1) {
    const place = cells.places[rows[at]!]!;
    if (place >= 0 && newPlaces[place]! < 0) newPlaces[place] = texts.push(cells.texts[place]!) - 1;
    places[at] = place < 0 ? -1 : newPlaces[place]!;
  }
  return { type: 'text', texts, places };
}

/** Returns the metadata of a wide table without its cells. Both lists are in file order. */
export function factsWithoutCells(keys: readonly FactsOfColumn[], columns: readonly WideColumn[]): FactsOfColumn[] {
  const reading = readingOfHeaders(columns.map(({ header }) => header));
  const isText = columns.some(({ type, isEmpty }) => type === 'text' && !isEmpty);
  return [
    ...keys,
    { name: HEADERS, type: 'text', ...(reading !== undefined && { reading }) },
    { name: CELLS, type: isText ? 'text' : 'number' },
  ];
}

/**
 * Returns the metadata of a wide table with its values.
 *
 * @param cells cells of the key columns, followed by the cells of the other columns
 * @param rowInFile returns the row number in the file
 */
export function factsWithCells(
  keys: readonly FactsOfColumn[],
  columns: readonly WideColumn[],
  cells: readonly ColumnCells[],
  { rows: rowCount, rowInFile }: { rows: number; rowInFile: (row: number) => number },
): { columns: FactsOfColumn[]; rows: number } {
  const own = cells.slice(keys.length);
  const filled = filledCells(own, rowCount);
  const { rows, columns: places } = filled;
  const headers = columns.map(({ header }) => header);
  const headerCells: ColumnCells = { type: 'text', texts: headers, places: Int32Array.from(headers.keys()) };
  const longCells = [
    ...cells.slice(0, keys.length).map((column) => cellsAt(column, rows)),
    cellsAt(headerCells, places),
    filled.cells,
  ];
  const facts = factsWithoutCells(keys, columns).map((column): FactsOfColumn =>
    column.name === CELLS ? { ...column, type: filled.cells.type, ...misfitOf(filled, columns, rowInFile) } : column,
  );
  return { columns: withValues(facts, longCells, [...keys.map(({ name }) => name), HEADERS]), rows: rows.length };
}

type Misfit = NonNullable<FactsOfColumn['misfit']>;

/** Returns the first text cell of a wide table, in row order, from the first text cells of its columns. */
export function firstMisfitOf(columns: readonly WideColumn[], misfits: readonly Misfit[]): Misfit | undefined {
  const headers = new Map(columns.map(({ name, header }) => [name, header]));
  const [first] = misfits.filter(({ column }) => headers.has(column)).sort((one, other) => one.row - other.row);
  return first && { ...first, column: headers.get(first.column)! };
}

function misfitOf(
  { rows, columns: places, cells }: FilledCells,
  columns: readonly WideColumn[],
  rowInFile: (row: number) => number,
): Pick<FactsOfColumn, 'misfit'> {
  const first = firstMisfit(cells);
  if (first === undefined) return {};
  const { header } = columns[places[first]!]!;
  return { misfit: { row: rowInFile(rows[first]!), column: header, text: textAt(cells, first) } };
}

/** Returns the index of the first cell that is not a number, if most of the filled cells are numbers. */
export function firstMisfit(cells: ColumnCells): number | undefined {
  if (cells.type === 'number') return undefined;
  const areNumbers = cells.texts.map((text) => Number.isFinite(Number(text)));
  let [numbers, others] = [0, 0];
  let first: number | undefined;
  for (const [at, place] of cells.places.entries()) {
    if (place < 0) continue;
    if (areNumbers[place]!) numbers += 1;
    else {
      others += 1;
      first ??= at;
    }
  }
  return numbers > others ? first : undefined;
}
