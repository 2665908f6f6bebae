import { type GridCell, type GridRow, isText, textOf } from './grid.js';
import { type Statistic, totalLabelOf } from './total-labels.js';

/** Divisors are stored in millionths. */
const MILLIONTHS = 1e6;
/** Maximum evidence that a column contributes, and the penalty for a number that is not a sum, in bits. */
const MAX_COLUMN_BITS = 20;
const OTHER_FIGURE_BITS = -6;
/** Penalty for the numbers 1, 2 and 3, which are more likely to be counts. */
const COUNT_BITS = -4;
/** Evidence for each addend beyond the second, and its upper limit. A row rarely equals the sum of many rows by chance. */
const ADDEND_BITS = 2;
const MAX_ADDEND_BITS = 6;

/** Running sums of columns. They are compared with the numbers of possible total rows. */
export class ColumnSums {
  private readonly sums: number[] = [];
  /** Count of nonzero numbers in each column. */
  private readonly addends: number[] = [];
  /** Greatest common divisors of the numbers in each column, in millionths. */
  private readonly divisors: number[] = [];
  private readonly maxima: number[] = [];
  private readonly minima: number[] = [];
  /** Count of numbers in each column, including zeros. */
  private readonly counts: number[] = [];
  private rows = 0;

  add(numbers: readonly (number | undefined)[]): void {
    this.rows += 1;
    for (const [column, number] of numbers.entries())
      if (number !== undefined) {
        this.sums[column] = (this.sums[column] ?? 0) + number;
        this.addends[column] = (this.addends[column] ?? 0) + (number === 0 ? 0 : 1);
        this.maxima[column] = Math.max(this.maxima[column] ?? number, number);
        this.minima[column] = Math.min(this.minima[column] ?? number, number);
        this.counts[column] = (this.counts[column] ?? 0) + 1;
        this.divisors[column] = commonDivisor(this.divisors[column] ?? 0, Math.round(Math.abs(number) * MILLIONTHS));
      }
  }

  copy(): ColumnSums {
    const copy = new ColumnSums();
    copy.rows = this.rows;
    copy.sums.push(...this.sums);
    copy.addends.push(...this.addends);
    copy.divisors.push(...this.divisors);
    copy.maxima.push(...this.maxima);
    copy.minima.push(...this.minima);
    copy.counts.push(...this.counts);
    return copy;
  }

  /**
   * Returns whether at least half of the numbers in a row match the statistic in the row's label. At least one matching number
   * must be nonzero.
   */
  areOf(cells: readonly GridCell[], numbers: readonly (number | undefined)[]): boolean {
    const { statistic = 'sum' } = totalLabelOf(textOf(cells.find(isText))) ?? {};
    const matches = this.compare(cells, numbers, (sum, column) => this.expected(statistic, sum, column));
    const compared = matches.filter((match) => match !== undefined);
    const same = matches.filter((match, column) => match === true && numbers[column] !== 0);
    return same.length > 0 && compared.filter(Boolean).length * 2 >= compared.length;
  }

  /** Returns the largest number of addends in any column whose sum equals the row's number, or 0 if there is no such column. */
  addendsOf(cells: readonly GridCell[], numbers: readonly (number | undefined)[]): number {
    const matches = this.compare(cells, numbers, (sum) => [sum]);
    return Math.max(0, ...matches.map((match, column) => (match === true ? (this.addends[column] ?? 0) : 0)));
  }

  /**
   * Returns the evidence, in bits, that a row equals the column sums because it is a total and not by chance. By chance, 30
   * equals 10 + 20 in one of three cases, but 37 equals 14 + 23 in only one of 37. Columns that are multiples of each other
   * count once. Returns undefined if the row is not a sum of several addends.
   */
  evidenceOf(cells: readonly GridCell[], numbers: readonly (number | undefined)[]): number | undefined {
    const addends = this.addendsOf(cells, numbers);
    if (addends < 2) return undefined;
    const matches = this.compare(cells, numbers, (sum) => [sum]);
    const isFigure = (number: number | undefined): boolean => number !== undefined && number !== 0;
    const same = numbers.filter((number, column) => isFigure(number) && matches[column] === true);
    if (same.length * 2 < numbers.filter(isFigure).length) return undefined;
    const steps = new Set<number>();
    let bits = Math.min(MAX_ADDEND_BITS, ADDEND_BITS * (addends - 2));
    for (const [column, number] of numbers.entries()) {
      if (number === undefined || number === 0) continue;
      if (matches[column] === true) steps.add(this.stepsOf(column, textOf(cells[column]), number));
      else bits += OTHER_FIGURE_BITS;
    }
    for (const count of steps) bits += Math.min(MAX_COLUMN_BITS, Math.log2(count));
    const isCount = numbers.some((number, column) => number === 3 && this.divisors[column] === MILLIONTHS);
    return steps.size === 1 && addends === 2 && isCount ? bits + COUNT_BITS : bits;
  }

  /** Returns the number of different sums that are possible up to a given number. */
  private stepsOf(column: number, text: string, number: number): number {
    const millionths = Math.abs(number) * MILLIONTHS;
    const isExact = Math.abs(this.sums[column]! - number) * MILLIONTHS < 1;
    const step = isExact ? this.divisors[column]! : 2 * this.tolerance(text, number) * MILLIONTHS;
    return Math.max(1, Math.round(millionths / Math.max(1, step)));
  }

  private compare(
    cells: readonly GridCell[],
    numbers: readonly (number | undefined)[],
    expectedOf: (sum: number, column: number) => number[],
  ): (boolean | undefined)[] {
    return numbers.map((number, column) => {
      const sum = this.sums[column];
      if (number === undefined || sum === undefined) return undefined;
      const tolerance = this.tolerance(textOf(cells[column]), number);
      return expectedOf(sum, column).some((expected) => Math.abs(expected - number) <= tolerance);
    });
  }

  private expected(statistic: Statistic, sum: number, column: number): number[] {
    switch (statistic) {
      case 'maximum':
        return [this.maxima[column]!];
      case 'minimum':
        return [this.minima[column]!];
      case 'count':
        return [this.counts[column]!, this.rows];
      case 'other':
        return [];
      default:
        return [sum, sum / this.rows];
    }
  }

  /**
   * Returns the allowed rounding error: half a unit of the last decimal place per row, because totals are often sums of
   * unrounded numbers.
   */
  private tolerance(text: string, number: number): number {
    const decimals = /[.,](\d+)\D*$/.exec(text)?.[1]?.length ?? 0;
    const rounded = decimals === 0 ? 0 : Math.min(0.001 * Math.abs(number), (this.rows + 1) * 0.5 * 10 ** -decimals);
    return 1e-9 * Math.max(1, Math.abs(number)) + rounded;
  }
}

/** Column sums of a table, with and without subtotals. */
export class TableSums {
  private readonly all = new ColumnSums();
  private readonly items = new ColumnSums();

  /** @param subtotals numbers of the rows that are sums of other rows */
  constructor(private readonly subtotals: ReadonlySet<number>) {}

  add(row: number, numbers: readonly (number | undefined)[]): void {
    this.all.add(numbers);
    if (!this.subtotals.has(row)) this.items.add(numbers);
  }

  /** Returns true if a row is the total of the table. The total may include some rows below the table. */
  areOf<Row extends GridRow>(
    total: Row,
    more: readonly Row[],
    numbersOf: (row: Row) => readonly (number | undefined)[],
  ): boolean {
    const [all, items] = [this.all.copy(), this.items.copy()];
    for (const row of more) {
      all.add(numbersOf(row));
      if (!this.subtotals.has(row.number)) items.add(numbersOf(row));
    }
    return [all, items].some((sums) => sums.areOf(total.cells, numbersOf(total)));
  }
}

function commonDivisor(one: number, other: number): number {
  while (other > 0) [one, other] = [other, one % other];
  return one;
}
