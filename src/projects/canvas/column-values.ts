import type { ColumnCells } from '../../data-engine/tasks.js';
import type { FactsOfColumn } from './data-file.js';

/** Most rows of a table whose values are kept, and most of its cells. */
export const MAX_ROWS = 100_000;
export const MAX_CELLS = 2_000_000;
/** Most bytes of the values of a file: each process keeps those of the canvases that it works on. */
const MAX_BYTES = 2 * 1024 ** 2;

/**
 * Adds the different texts and the range of figures to the facts on columns, those of the key first, as far as there is room.
 *
 * @param cells of the columns, in their order
 */
export function withValues(
  columns: readonly FactsOfColumn[],
  cells: readonly ColumnCells[],
  key: readonly string[],
): FactsOfColumn[] {
  const valuesByName = new Map<string, string[]>();
  let left = MAX_BYTES;
  const isKey = ({ name }: FactsOfColumn): boolean => key.includes(name);
  for (const wanted of [true, false]) {
    for (const [at, column] of columns.entries()) {
      if (isKey(column) !== wanted || (column.type === 'number' && !wanted)) continue;
      const values = textsOf(cells[at]!);
      const size = values.reduce((sum, text) => sum + Buffer.byteLength(text) + 3, 0);
      if (size > left) continue;
      left -= size;
      valuesByName.set(column.name, values);
    }
  }
  return columns.map((column, at) => {
    const values = valuesByName.get(column.name);
    const range = rangeOf(cells[at]!);
    const hasKey = key.length > 0 && key.every((name) => columns.some((one) => one.name === name));
    const empty =
      hasKey && cells[at]!.type === 'number' ? cells[at]!.figures.findIndex((figure) => Number.isNaN(figure)) : -1;
    return {
      ...column,
      ...(values !== undefined && { values }),
      ...(range !== undefined && { range }),
      ...(empty >= 0 && {
        empty: key.map((name) => textAt(cells[columns.findIndex((one) => one.name === name)], empty)),
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

const textAt = (cells: ColumnCells | undefined, row: number): string =>
  cells === undefined
    ? ''
    : cells.type === 'text'
      ? (cells.texts[cells.places[row]!] ?? '')
      : String(cells.figures[row]);
