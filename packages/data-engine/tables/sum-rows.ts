import { ColumnSums } from './column-sums.js';
import { type GridCell, type GridRow, isFilled, textOf } from './grid.js';

/*
 * Finds totals by arithmetic, even without a label such as "Total". If a row equals the sums of the rows above or below it, its
 * numbers, label and position are scored as bits of evidence that it is a total.
 */

/** Minimum evidence for reporting that a table may contain totals. */
const MIN_BITS = 4.5;
/** Minimum evidence for leaving out a row without a label. */
const PROOF_BITS = 8;
/**
 * Bits added if the last row is the sum of the whole table, because it is often the grand total. Other sums lose bits instead.
 */
const LAST_ROW_BITS = 2.5;
/** Evidence from a label that names a total, from a missing label, and from a label unlike the other labels. */
const NAME_BITS = 20;
const NO_LABEL_BITS = 10;
const UNLIKE_LABEL_BITS = 3.5;
/** Maximum number of blocks that a row is compared with. */
const MAX_BLOCKS = 8;

export interface NumberRow {
  row: GridRow;
  numbers: readonly (number | undefined)[];
  /** Whether the row is labelled as a total. */
  isNamed: boolean;
}

/** Row that equals the sums of other rows. */
export interface SumRow {
  row: GridRow;
  bits: number;
  /** Whether the row has no label and enough evidence to be left out. */
  isProven: boolean;
}

/** Block of rows between two totals. */
interface Block {
  start: number;
  sums: ColumnSums;
  /** Whether the sums include the totals in the block. */
  hasTotals?: boolean;
}

/** Returns the totals in a table. The totals are either all below or all above the rows that they sum. */
export function findSumRows(rows: readonly NumberRow[]): SumRow[] {
  const [below, above] = [search(rows, LAST_ROW_BITS), search(rows.toReversed(), 0)];
  const best = evidenceOf(above) > evidenceOf(below) ? above : below;
  return evidenceOf(best) >= MIN_BITS ? best : [];
}

const evidenceOf = (sums: readonly SumRow[]): number => sums.reduce((bits, sum) => bits + sum.bits, 0);

/** @param lastBits evidence that the last row is the total of all rows */
function search(rows: readonly NumberRow[], lastBits: number): SumRow[] {
  const sumRows: SumRow[] = [];
  const totals = new Set<number>();
  const blockAt = (start: number): Block => ({ start, sums: new ColumnSums() });
  // The first row may be a header of numbers, so some blocks start at the second row. A row may equal a sum by chance, so some
  // blocks also include the totals.
  let blocks = [{ ...blockAt(0), hasTotals: true }, { ...blockAt(1), hasTotals: true }, blockAt(0), blockAt(1)];
  const fixed = blocks.length;
  const lastWithNumbers = rows.findLastIndex(({ numbers }) => numbers.some((number) => number !== undefined));
  for (const [at, row] of rows.entries()) {
    let best: SumRow | undefined;
    for (const { start, sums, hasTotals = false } of blocks) {
      const bits = sums.evidenceOf(row.row.cells, row.numbers);
      if (bits === undefined) continue;
      const isAddend = ({ numbers }: NumberRow, place: number): boolean =>
        place >= start && (hasTotals || !totals.has(place)) && numbers.some((number) => number !== undefined);
      const addends = rows.slice(0, at).filter(isAddend);
      const label = labelBits(row, addends);
      const isWhole = start <= 1 && at === lastWithNumbers;
      const all = bits + label + (isWhole ? lastBits : -Math.log2(rows.length));
      if (all > (best?.bits ?? 0))
        best = { row: row.row, bits: all, isProven: label === NO_LABEL_BITS && all >= PROOF_BITS };
    }
    if (best !== undefined) {
      sumRows.push(best);
      totals.add(at);
    }
    for (const block of blocks)
      if (at >= block.start && (best === undefined || block.hasTotals)) block.sums.add(row.numbers);
    if (best !== undefined) blocks.push(blockAt(at + 1));
    if (blocks.length > MAX_BLOCKS) blocks = blocks.filter((_, place) => place !== fixed);
  }
  return sumRows;
}

/** Returns the bits of evidence from a row's label, compared with the labels of its addends. */
function labelBits({ row, numbers, isNamed }: NumberRow, addends: readonly NumberRow[]): number {
  if (isNamed) return NAME_BITS;
  const isLabel = (cell: GridCell, column: number): boolean => isFilled(cell) && numbers[column] === undefined;
  const label = row.cells.find(isLabel);
  const isMissing = (column: number): boolean =>
    !isFilled(row.cells[column]) && addends.every((addend) => isFilled(addend.row.cells[column]));
  const columns = [...numbers.keys()].slice(
    0,
    numbers.findIndex((number) => number !== undefined),
  );
  const isNarrow = columns.some(isMissing);
  if (label === undefined) return isNarrow ? NO_LABEL_BITS : 0;
  if (isNarrow) return UNLIKE_LABEL_BITS;
  const column = row.cells.findIndex(isLabel);
  const shapes = new Set(addends.map((addend) => shapeOf(addend.row.cells[column])));
  return shapes.size === 1 && !shapes.has(shapeOf(label)) ? UNLIKE_LABEL_BITS : 0;
}

/** Returns the character classes of a label, such as `Aa Aa` for `New York` and `A0` for `Q1`. */
const shapeOf = (cell: GridCell): string =>
  textOf(cell)
    .replace(/\p{Script=Latin}+/gu, (word) =>
      word === word.toLowerCase() ? 'a' : word === word.toUpperCase() ? 'A' : 'Aa',
    )
    .replace(/(?!\p{Script=Latin})[\p{L}\p{M}]+/gu, 'x')
    .replace(/\d+/g, '0');
