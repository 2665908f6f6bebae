import { type GridCell, textOf } from './grid.js';

/** Sums of columns, compared with totals. */
export class ColumnSums {
  private readonly sums: number[] = [];
  /** Numbers other than 0 in each column. */
  private readonly addends: number[] = [];
  private rows = 0;

  add(numbers: readonly (number | undefined)[]): void {
    this.rows += 1;
    for (const [column, number] of numbers.entries())
      if (number !== undefined) {
        this.sums[column] = (this.sums[column] ?? 0) + number;
        this.addends[column] = (this.addends[column] ?? 0) + (number === 0 ? 0 : 1);
      }
  }

  copy(): ColumnSums {
    const copy = new ColumnSums();
    copy.rows = this.rows;
    copy.sums.push(...this.sums);
    copy.addends.push(...this.addends);
    return copy;
  }

  /** Whether at least half of the numbers of a row are sums or averages of their columns, one of them other than 0. */
  areOf(cells: readonly GridCell[], numbers: readonly (number | undefined)[]): boolean {
    const matches = this.compare(cells, numbers, (sum) => [sum, sum / this.rows]);
    const compared = matches.filter((match) => match !== undefined);
    const same = matches.filter((match, column) => match === true && numbers[column] !== 0);
    return same.length > 0 && compared.filter(Boolean).length * 2 >= compared.length;
  }

  /** Returns the largest number of addends of a number that is the sum of its column, and 0 if no number is. */
  addendsOf(cells: readonly GridCell[], numbers: readonly (number | undefined)[]): number {
    const matches = this.compare(cells, numbers, (sum) => [sum]);
    return Math.max(0, ...matches.map((match, column) => (match === true ? (this.addends[column] ?? 0) : 0)));
  }

  private compare(
    cells: readonly GridCell[],
    numbers: readonly (number | undefined)[],
    expectedOf: (sum: number) => number[],
  ): (boolean | undefined)[] {
    return numbers.map((number, column) => {
      const sum = this.sums[column];
      if (number === undefined || sum === undefined) return undefined;
      const tolerance = this.tolerance(textOf(cells[column]), number);
      return expectedOf(sum).some((expected) => Math.abs(expected - number) <= tolerance);
    });
  }

  /** Half of the last decimal for each row, because totals are often sums of unrounded numbers. */
  private tolerance(text: string, number: number): number {
    const decimals = /[.,](\d+)\D*$/.exec(text)?.[1]?.length ?? 0;
    const rounded = decimals === 0 ? 0 : Math.min(0.001 * Math.abs(number), (this.rows + 1) * 0.5 * 10 ** -decimals);
    return 1e-9 * Math.max(1, Math.abs(number)) + rounded;
  }
}
