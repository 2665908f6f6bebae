/** Run of consecutive rows. It starts at the zero-based `index` in the table and at the one-based `row` number in the file. */
export interface RowNumbers {
  index: number;
  row: number;
}

/** Maximum number of recorded gaps. Beyond this limit, the reported row numbers are too low. */
const MAX_INTERRUPTIONS = 10_000;

/** Maps table rows to their row numbers in the file. The table may leave out rows of the file. */
export class RowNumbering {
  /** Number of table rows so far. */
  count = 0;
  private readonly runs: RowNumbers[] = [];
  /** Number of the first row in the file. 0 before the first row. */
  first = 0;
  private expected = 1;

  /** Number of the last row in the file. 0 before the first row. */
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

  /** Returns the number of the last table row above a row of the file, or 0 if no row is above it. */
  lastAbove(row: number): number {
    const at = this.runs.findLastIndex((run) => run.row < row);
    if (at < 0) return 0;
    const run = this.runs[at]!;
    const length = (this.runs[at + 1]?.index ?? this.count) - run.index;
    return Math.min(row - 1, run.row + length - 1);
  }

  /** Returns the runs of data rows. The first row is omitted if it is the header. */
  list(isHeaderFirst: boolean): RowNumbers[] {
    if (!isHeaderFirst) return this.runs;
    const [first, second] = this.runs;
    if (first === undefined || this.count < 2) return [];
    const rest = this.runs.slice(1).map(({ index, row }) => ({ index: index - 1, row }));
    return second?.index === 1 ? rest : [{ index: 0, row: first.row + 1 }, ...rest];
  }
}
