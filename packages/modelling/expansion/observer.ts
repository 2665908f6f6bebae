import type { Index, Membership, MemberOf } from '../formula.js';
import type { Frame } from './frame.js';
import type { Column, Members } from './space.js';

/** Figures or members that an expression needs and the data lack. */
export interface Missing {
  expression: MemberOf;
  /** The member in quotes. */
  member: string;
  /** Absent for a variable. */
  column?: Column;
  /** Whether the set of the column has the member, and the cell alone is missing. */
  isMember: boolean;
}

/** Receives what an evaluation finds out about the data. */
export interface Observer {
  /** A figure or member is missing. The evaluation continues without it. */
  missing(missing: Missing): void;
  /** A comparison leaves out the empty cell that a column has for a member, which is in quotes. */
  uncompared(column: string, member: string): void;
  /** Places in its set of the members that a column with a default is looked up for; negative where it has none. */
  defaulted(expression: MemberOf, column: Column, places: Int32Array): void;
  /** The set of a sum is joined with the rows outside of it. */
  filtered(membership: Membership, set: Members, outer: Frame): void;
  /** An index has no row at all. */
  emptied(index: Index, isSum: boolean): void;
}
