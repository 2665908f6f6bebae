import type { ColumnCells } from '../data-engine/index.js';
import type { FactsOfColumn } from './data-file.js';

/** Maximum number of rows and of cells in a table whose values are cached. */
export const MAX_ROWS = 100_000;
export const MAX_CELLS = 2_000_000;
/** Maximum size in bytes of the cached values of a file. Each process caches the values for its active canvases. */
const MAX_BYTES = 2 * 1024 ** 2;
/** Maximum number of cells per table that are cached individually. */
const MAX_CACHED_CELLS = 50_000;

/**
 * Adds distinct strings and numeric ranges to the metadata of columns until a limit is reached. Key columns come first.
 *
 * @param cells cells of the columns, in the same order
 */
export function withValues(
  columns: readonly FactsOfColumn[],
  cells: readonly ColumnCells[],
  key: readonly string[],
): FactsOfColumn[] {
  const valuesByName = new Map<string, string[]>();
  let remainingBytes = MAX_BYTES;
  const isKey = ({ name }: FactsOfColumn): boolean => key.includes(name);
  for (const isKeyPass of [true, false]) {
    for (const [at, column] of columns.entries()) {
      if (isKey(column) !== isKeyPass || (column.type === 'number' && !isKeyPass)) continue;
      const values = textsOf(cells[at]!);
      const size = values.reduce((sum, text) => sum + Buffer.byteLength(text) + 3, 0);
      if (size > remainingBytes) continue;
      remainingBytes -= size;
      valuesByName.set(column.name, values);
    }
  }
  const isSmall = rowsOf(cells) * columns.length <= MAX_CACHED_CELLS;
  return columns.map((column, at) => {
    const values = valuesByName.get(column.name);
    const range = rangeOf(cells[at]!);
    const hasKey = key.length > 0 && key.every((name) => columns.some((candidate) => candidate.name === name));
    const empty =
      hasKey && cells[at]!.type === 'number' ? cells[at]!.figures.findIndex((figure) => Number.isNaN(figure)) : -1;
    return {
      ...column,
      ...(values !== undefined && { values }),
      ...(range !== undefined && { range }),
      ...(isSmall && (cells[at]!.type === 'number' || values !== undefined) && { cells: placesOf(cells[at]!) }),
      ...(empty >= 0 && {
        empty: key.map((name) => textAt(cells[columns.findIndex((candidate) => candidate.name === name)], empty)),
      }),
    };
  });
}

function textsOf(cells: ColumnCells): string[] {
  if (cells.type === 'text') return cells.texts;
  return [...new Set(cells.figures)].filter((figure) => !Number.isNaN(figure)).map(String);
}

function rangeOf(cells: ColumnCells): [number, number] | undefined {
  if (cells.type === 'text') return undefined;
  let [least, most] = [Infinity, -Infinity];
  for (const figure of cells.figures) {
    if (figure < least) least = figure;
    if (figure > most) most = figure;
  }
  return least > most ? undefined : [least, most];
}

const rowsOf = ([first]: readonly ColumnCells[]): number =>
  first === undefined ? 0 : first.type === 'number' ? first.figures.length : first.places.length;

/** Returns the numbers of a column, or for each string its index in the list of distinct strings. */
const placesOf = (cells: ColumnCells): (number | null)[] =>
  cells.type === 'number'
    ? Array.from(cells.figures, (figure) => (Number.isNaN(figure) ? null : figure))
    : Array.from(cells.places, (place) => (place < 0 ? null : place));

const textAt = (cells: ColumnCells | undefined, row: number): string =>
  cells === undefined
    ? ''
    : cells.type === 'text'
      ? (cells.texts[cells.places[row]!] ?? '')
      : String(cells.figures[row]);
