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
export interface FilledCells {
  rows: Int32Array;
  columns: Int32Array;
  cells: ColumnCells;
}

/** Lists the filled cells of columns. If a column has texts, all cells are texts. */
export function filledCells(columns: readonly ColumnCells[], rowCount: number): FilledCells {
  let size = 0;
  for (const column of columns) for (let row = 0; row < rowCount; row += 1) if (isFilled(column, row)) size += 1;
  const [rows, places] = [new Int32Array(size), new Int32Array(size)];
  let at = 0;
  for (let row = 0; row < rowCount; row += 1)
    for (let place = 0; place < columns.length; place += 1)
      if (isFilled(columns[place]!, row)) {
        rows[at] = row;
        places[at++] = place;
      }
  const isText = columns.some((column) => column.type === 'text' && column.texts.length > 0);
  return { rows, columns: places, cells: (isText ? textsAt : figuresAt)(columns, rows, places) };
}

const isFilled = (cells: ColumnCells, row: number): boolean =>
  cells.type === 'number' ? !Number.isNaN(cells.figures[row]!) : cells.places[row]! >= 0;

function figuresAt(columns: readonly ColumnCells[], rows: Int32Array, places: Int32Array): ColumnCells {
  const figures = new Float64Array(rows.length);
  for (let at = 0; at < rows.length; at += 1) {
    const cells = columns[places[at]!]!;
    figures[at] = cells.type === 'number' ? cells.figures[rows[at]!]! : NaN;
  }
  return { type: 'number', figures };
}

function textsAt(columns: readonly ColumnCells[], rows: Int32Array, places: Int32Array): ColumnCells {
  return listed(rows.length, (at) => textAt(columns[places[at]!]!, rows[at]!));
}

/** Returns the text of a filled cell. */
export const textAt = (cells: ColumnCells, row: number): string =>
  cells.type === 'number' ? String(cells.figures[row]) : cells.texts[cells.places[row]!]!;

/** Lists texts as a column. */
function listed(size: number, textOf: (at: number) => string): ColumnCells {
  const placesByText = new Map<string, number>();
  const places = new Int32Array(size);
  for (let at = 0; at < size; at += 1) {
    const text = textOf(at);
    const place = placesByText.get(text) ?? placesByText.size;
    placesByText.set(text, place);
    places[at] = place;
  }
  return { type: 'text', texts: [...placesByText.keys()], places };
}

/** Returns the cells of a key column in the given rows. */
function cellsAt(cells: ColumnCells, rows: Int32Array): ColumnCells {
  if (cells.type === 'number')
    return { type: 'number', figures: Float64Array.from(rows, (row) => cells.figures[row]!) };
  return listed(rows.length, (at) => (isFilled(cells, rows[at]!) ? textAt(cells, rows[at]!) : ''));
}

/** Returns the metadata of a wide table without its cells. Both lists are in file order. */
export function factsWithoutCells(keys: readonly FactsOfColumn[], columns: readonly WideColumn[]): FactsOfColumn[] {
  const headers = columns.map(({ header }) => header);
  const reading = readingOfHeaders(headers);
  const isText = columns.some(({ type, isEmpty }) => type === 'text' && !isEmpty);
  return [
    ...keys,
    { name: HEADERS, type: 'text', values: headers, ...(reading !== undefined && { reading }) },
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
  const longCells = [
    ...cells.slice(0, keys.length).map((column) => cellsAt(column, rows)),
    listed(places.length, (at) => columns[places[at]!]!.header),
    filled.cells,
  ];
  const facts = factsWithoutCells(keys, columns).map((column): FactsOfColumn =>
    column.name === CELLS ? { ...column, type: filled.cells.type, ...misfitOf(filled, columns, rowInFile) } : column,
  );
  return { columns: withValues(facts, longCells, [...keys.map(({ name }) => name), HEADERS]), rows: rows.length };
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
