import { refuse } from './refusal.js';

/** Maximum number of rows for all parts of a formula. Their results may be in memory at the same time. */
const MAX_ROWS = 20_000_000;
/** Maximum number of rows for all formulas of a model. */
const MAX_STEPS = 200_000_000;

/** Counts the rows of formulas before memory is allocated for them. */
export class Steps {
  /** Rows of the current formula, and of all formulas so far. */
  private gone = 0;
  private steps = 0;

  constructor(private readonly maxRows = MAX_ROWS) {}

  /** Whether the current formula has too many rows. */
  get isExceeded(): boolean {
    return this.gone > this.maxRows;
  }

  /** Number of rows of the current formula so far. */
  get rows(): number {
    return this.gone;
  }

  /** Starts the next formula. */
  begin(): void {
    this.gone = 0;
  }

  /** @throws ExpansionRefusal if a limit is exceeded */
  goThrough(rows: number, position?: number): void {
    this.gone += rows;
    this.steps += rows;
    if (this.gone > this.maxRows)
      refuse(
        `It runs over more than ${this.maxRows} combinations of members: reduce them with conditions after \`where\``,
        position,
      );
    if (this.steps > MAX_STEPS)
      refuse(`The formulas up to this one run over more than ${MAX_STEPS} combinations of members`);
  }
}
