import type { Extremum, Index, Membership, MemberOf } from '../formula.js';
import type { Frame } from './frame.js';
import type { Column, Members } from './space.js';

/** Missing value or member that an expression needs. */
export interface Missing {
  expression: MemberOf;
  /** Quoted name of the member. */
  member: string;
  /** Absent for a variable. */
  column?: Column;
  /** Whether the member exists in the column's set and only the cell is missing. */
  isMember: boolean;
}

/** Receives findings about the data during an evaluation. */
export interface Observer {
  /** Called for a missing value or member. The evaluation continues with a substitute. */
  missing(missing: Missing): void;
  /** Called if a comparison excludes an empty cell. The member name is quoted. */
  uncompared(column: string, member: string): void;
  /**
   * Called for a column with a default. `places` contains the zero-based position in the set of each member that was looked up,
   * or a negative number if the member does not exist.
   */
  defaulted(expression: MemberOf, column: Column, places: Int32Array): void;
  /** Called when a set in a sum is joined with the rows outside the sum. */
  filtered(membership: Membership, set: Members, outer: Frame): void;
  /** Called for an index without rows. */
  emptied(index: Index, by: 'sum' | Extremum | undefined): void;
}
