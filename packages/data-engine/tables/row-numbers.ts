/** From the row of the table at `index` (from 0) on, rows are numbered in the file from `row` (from 1), one after the other. */
export interface RowNumbers {
  index: number;
  row: number;
}

/** More interruptions than that are not kept; rows behind them are told by too low a number. */
const MAX_INTERRUPTIONS = 10_000;

/** Keeps what number each row of a table has in its file, where rows may be left out. */
export class RowNumbering {
  /** Rows of the table up to now. */
  count = 0;
  private readonly runs: RowNumbers[] = [];
  /** Number of the first row in the file; 0 if there is none. */
  first = 0;
  private expected = 1;

  /** Number of the last row in the file; 0 if there is none. */
  get last(): number {
    return this.expected - 1;
  }

  add(row: number): void {
    if (this.count === 0) this.first = row;
    if ((row !== this.expected || this.count === 0) && this.runs.length < MAX_INTERRUPTIONS)
      this.runs.push({ index: this.count, row });
    this.expected = row + 1;
    this.count += 1;
  }

  /** Number of the last row above a row, in the file; 0 if there is none. */
  lastAbove(row: number): number {
    const at = this.runs.findLastIndex((run) => run.row < row);
    if (at < 0) return 0;
    const run = this.runs[at]!;
    const length = (this.runs[at + 1]?.index ?? this.count) - run.index;
    return Math.min(row - 1, run.row + length - 1);
  }

  /** The runs; without the first row when that holds the names of columns. */
  list(isHeaderFirst: boolean): RowNumbers[] {
    if (!isHeaderFirst) return this.runs;
    const [first, second] = this.runs;
    if (first === undefined || this.count < 2) return [];
    const rest = this.runs.slice(1).map(({ index, row }) => ({ index: index - 1, row }));
    return second?.index === 1 ? rest : [{ index: 0, row: first.row + 1 }, ...rest];
  }
}
