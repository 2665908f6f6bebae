import type { LeftOut, SubtotalChoice } from '../tasks.js';
import { ColumnSums } from './column-sums.js';
import { type GridCell, type GridRow, isText, textOf } from './grid.js';
import { addLeftOut, leftOutEntry } from './left-out.js';
import { findSumRows, type NumberRow, type SumRow } from './sum-rows.js';
import { type TotalLabel, isTotalLabel, totalLabelOf } from './total-labels.js';

/**
 * Maximum number of blocks that are summed at the same time. A total over several subtotals ends the block that starts above
 * the first of these subtotals.
 */
const MAX_BLOCKS = 32;
/**
 * Maximum number of cells for which unlabelled sums are searched. In larger tables, only rows labelled as totals are checked.
 */
export const MAX_CELLS = 100_000;
/** Maximum number of subtotals that are listed separately. */
const MAX_LISTED = 100;

type Numbers = readonly (number | undefined)[];

/** Row that is labelled as a total. */
interface Candidate {
  row: GridRow;
  /** Whether the row's numbers are the sums of the rows above it, counted from the start of a block. */
  isSum: boolean;
  /** Whether neither the label nor the sums can be a coincidence. */
  isCertain: boolean;
  /** Whether the row is the sum of a block with several rows. */
  hasAddends: boolean;
}

/** Subtotals in a table. */
export interface Subtotals {
  /** Left-out rows by number. */
  rows: ReadonlyMap<number, GridRow>;
  /** Numbers of the rows that are labelled as totals and are sums of other rows. */
  sums: ReadonlySet<number>;
  choice: SubtotalChoice | null;
  /** Whether rows labelled as totals are read as data. */
  isUncertain: boolean;
}

export const NO_SUBTOTALS: Subtotals = { rows: new Map(), sums: new Set(), choice: null, isUncertain: false };

/**
 * Finds rows that are the sums of the rows above them, such as `Subtotal North`. A label alone proves nothing, because products
 * and brands can have such names, too.
 */
export class SubtotalSearch {
  /** Numbers of the labelled rows that are sums of other rows. */
  readonly sums = new Set<number>();
  private readonly candidates: Candidate[] = [];
  /**
   * Column sums since the start of each block that may end at the next row. The first row may be a header, so a second block
   * starts after it.
   */
  private blocks = [new ColumnSums()];
  private above: readonly GridCell[] = [];
  private rows = 0;
  private all: NumberRow[] = [];
  private cells = 0;
  /** Number of the last row that has numbers and no total label. */
  private lastData = 0;

  /** Adds a row of the table with its numbers in the numeric columns. */
  add(row: GridRow, numbers: Numbers): void {
    this.rows += 1;
    const label = this.rows === 1 ? undefined : labelIn(row.cells, numbers);
    const mayBeSum = label?.statistic === 'sum' || label?.statistic === 'average';
    this.cells += row.cells.length;
    if (this.cells <= MAX_CELLS) this.all.push({ row, numbers, isNamed: mayBeSum });
    else this.all = [];
    const isData = !mayBeSum || !this.addCandidate(row, numbers, label);
    if (isData) for (const block of this.blocks) block.add(numbers);
    if (this.rows === 1 || mayBeSum) this.blocks.push(new ColumnSums());
    // The first two blocks, which cover the whole table, are always kept.
    if (this.blocks.length > MAX_BLOCKS) this.blocks.splice(2, 1);
    if (label === undefined) {
      this.above = row.cells;
      if (numbers.some((number) => number !== undefined)) this.lastData = row.number;
    }
  }

  /** @param choice the caller's choice for all rows labelled as totals */
  result(choice: SubtotalChoice | undefined, lastRow?: number): Subtotals {
    if (choice === 'keep') return { ...NO_SUBTOTALS, sums: this.sums, choice };
    const unnamedSums = this.sumsWithoutName(lastRow);
    const candidates = this.candidates.filter(({ row }) => row.number !== lastRow);
    const end = this.endOfTable();
    const hasSeveralSums = this.hasSeveralSums();
    const isProven = ({ isSum, isCertain }: Candidate): boolean => isSum && (hasSeveralSums || isCertain);
    const labelledSubtotals = candidates.filter((candidate) => choice === 'drop' || isProven(candidate));
    // If these rows are the only subtotals, a later step decides where the table ends.
    const isEnd = labelledSubtotals.every((candidate) => choice !== 'drop' && end.has(candidate));
    const canBeLeftOut = ({ row, isProven: isSum }: SumRow): boolean =>
      row !== this.all[0]?.row && (choice === 'drop' || isSum);
    const unnamed = unnamedSums.filter(canBeLeftOut);
    const rows = [...(isEnd ? [] : labelledSubtotals), ...unnamed].map(({ row }) => row);
    const decided = new Set([...labelledSubtotals, ...end]);
    const isUncertain = candidates.some((candidate) => !decided.has(candidate)) || unnamed.length < unnamedSums.length;
    return {
      rows: new Map(rows.toSorted((a, b) => a.number - b.number).map((row) => [row.number, row])),
      sums: this.sums,
      choice: rows.length > 0 ? 'drop' : isUncertain ? 'keep' : null,
      isUncertain,
    };
  }

  /** Returns whether several labelled rows are sums and at least one of them has several addends. */
  private hasSeveralSums(): boolean {
    const sums = this.candidates.filter(({ isSum }) => isSum);
    return sums.length > 1 && sums.some(({ hasAddends }) => hasAddends);
  }

  /** Returns the sum rows that are not labelled as totals. */
  private sumsWithoutName(lastRow?: number): SumRow[] {
    const excludedRows = new Set([lastRow, ...this.candidates.map(({ row }) => row.number)]);
    return findSumRows(this.all).filter(({ row }) => !excludedRows.has(row.number));
  }

  /** Adds a candidate, and returns whether the row is a sum. */
  private addCandidate(row: GridRow, numbers: Numbers, label: TotalLabel): boolean {
    const at = this.blocks.findLastIndex(
      (block) =>
        block.areOf(row.cells, numbers) && (label.statistic === 'average' || block.addendsOf(row.cells, numbers) > 0),
    );
    const hasAddends = at >= 0 && (label.statistic === 'average' || this.blocks[at]!.addendsOf(row.cells, numbers) > 1);
    const isOfGroup =
      label.group !== '' && this.above.some((cell) => textOf(cell).toLowerCase() === label.group.toLowerCase());
    const isCertain = hasAddends && (label.isSubtotal || isOfGroup);
    this.candidates.push({ row, isSum: at >= 0, isCertain, hasAddends });
    if (at < 0) return false;
    this.sums.add(row.number);
    this.blocks = this.blocks.slice(0, at + 1);
    return true;
  }

  /** Returns the rows with plain total labels below all data. Different rules apply at the end of the table. */
  private endOfTable(): ReadonlySet<Candidate> {
    const isPlain = ({ cells }: GridRow): boolean => isTotalLabel(textOf(cells.find(isText)));
    return new Set(this.candidates.filter(({ row }) => row.number > this.lastData && isPlain(row)));
  }
}

/**
 * Returns the total label of a row. The label is in the first text cell, or in a text cell with a number somewhere to its
 * right. Returns undefined for rows without numbers.
 */
function labelIn(cells: readonly GridCell[], numbers: Numbers): TotalLabel | undefined {
  const lastNumber = numbers.findLastIndex((number) => number !== undefined);
  if (lastNumber < 0) return undefined;
  for (const [column, cell] of cells.entries()) {
    const label = typeof cell === 'string' ? totalLabelOf(cell) : undefined;
    if (label === undefined) continue;
    if (column === cells.findIndex(isText) || (column < lastNumber && label.group === '')) return label;
  }
  return undefined;
}

/** Returns the entries that describe the omitted subtotals. */
export function leftOutEntries({ rows }: Subtotals, lastRow: number): LeftOut[] {
  const parts: LeftOut[] = [];
  for (const row of rows.values()) {
    const part = leftOutEntry(row.number > lastRow ? 'below' : 'inside', 'total', row);
    const before = parts.at(-1);
    if (parts.length >= MAX_LISTED || (before?.place === part.place && before.last + 1 === part.first))
      addLeftOut(parts, { ...part, place: before!.place });
    else parts.push(part);
  }
  return parts;
}
