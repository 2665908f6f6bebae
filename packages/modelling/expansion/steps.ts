import { refuse } from './refusal.js';

/** Maximum number of rows of a formula, summed over all of its parts. Their results may be in memory at the same time. */
const MAX_ROWS = 20_000_000;
/** Maximum total number of rows for all formulas of a model. */
const MAX_STEPS = 200_000_000;

/** Counts the rows that formulas need, before memory is allocated for them. */
export class Steps {
  /** Number of rows of the current formula so far, and of all formulas so far. */
  private currentRows = 0;
  private totalRows = 0;

  constructor(private readonly maxRows = MAX_ROWS) {}

  /** Whether the current formula has too many rows. */
  get isExceeded(): boolean {
    return this.currentRows > this.maxRows;
  }

  /** Number of rows of the current formula so far. */
  get rows(): number {
    return this.currentRows;
  }

  /** Resets the count for the next formula. */
  begin(): void {
    this.currentRows = 0;
  }

  /** @throws ExpansionRefusal if a limit is exceeded */
  addRows(rows: number, position?: number): void {
    this.currentRows += rows;
    this.totalRows += rows;
    if (this.currentRows > this.maxRows)
      refuse(
        `It runs over more than ${this.maxRows} combinations of members: reduce them with conditions after \`where\``,
        position,
      );
    if (this.totalRows > MAX_STEPS)
      refuse(`The formulas up to this one run over more than ${MAX_STEPS} combinations of members`);
  }
}
