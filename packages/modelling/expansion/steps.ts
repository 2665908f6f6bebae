import { refuse } from './refusal.js';

/** Most rows that all parts of a formula go through together: what comes of them may be in memory at once. */
const MAX_ROWS = 20_000_000;
/** Most rows that all formulas of a model go through. */
const MAX_STEPS = 200_000_000;

/** Counts the rows that formulas go through, before anything is made of them. */
export class Steps {
  /** Of the parts of the present formula, and of all formulas so far. */
  private gone = 0;
  private steps = 0;

  constructor(private readonly maxRows = MAX_ROWS) {}

  /** Whether the present formula goes through too many rows. */
  get isExceeded(): boolean {
    return this.gone > this.maxRows;
  }

  /** Rows that the present formula has gone through. */
  get rows(): number {
    return this.gone;
  }

  /** Another formula begins. */
  begin(): void {
    this.gone = 0;
  }

  /** @throws ExpansionRefusal when they are too many */
  goThrough(rows: number, position?: number): void {
    this.gone += rows;
    this.steps += rows;
    if (this.gone > this.maxRows)
      refuse(
        `It goes through more than ${this.maxRows} combinations of members: let its indices run over fewer, with conditions behind \`where\``,
        position,
      );
    if (this.steps > MAX_STEPS)
      refuse(`The formulas up to this one go through more than ${MAX_STEPS} combinations of members`);
  }
}
