import type { Computed } from './computed.js';
import type { DateReading } from './dates.js';
import type { DerivedSet } from './derived-set.js';
import type { Index } from './formula.js';
import type { ComparisonBudget, Values } from './values.js';

/** Cells of a column in member order. Empty cells are null. */
export type Cells = readonly (number | string | null)[];

/** Set, as formulas see it. */
export interface SetShape {
  /** Number of key columns: 1 for a plain set, 2 for pairs. */
  arity: number;
  /** Distinct strings in each key column, if known. */
  parts?: readonly (Values | undefined)[];
  /** Cells of each key column in member order, if known. Absent for a set with a single key column. */
  keys?: readonly Cells[];
  /** Date or time format of each key column. */
  readings?: readonly (DateReading | undefined)[];
  /** Number of members of a set in a file, if known. */
  size?: number;
  /** Whether lags continue at the other end of the set. */
  isCyclic?: true;
  /** Definition of a set whose members come from other sets. */
  derivation?: DerivedSet;
}

/** Column of numbers or text labels, with a cell for each member of a set. */
export interface ColumnShape {
  /** Name of the set. A member of the column takes as many keys as the set has key columns. */
  set: string;
  type: 'number' | 'text';
  /** Whether a formula defines the column. */
  isComputed?: true;
  /** Default for missing values. */
  fallback?: number;
  /** Format of the dates or times in the column. */
  reading?: DateReading;
  /** Sentence about the first non-numeric cell, for a text column that is probably meant to be numeric. */
  misfit?: string;
  /** Name and file of the source column, if formulas use a different name. */
  origin?: string;
  /** Name of the column in its file, if formulas use a different name. */
  column?: string;
  /** Distinct strings, if known. */
  values?: Values;
  /** Minimum and maximum, if known. */
  range?: readonly [number, number];
  /** Key of the first member without a value. */
  empty?: readonly string[];
  /** Cells as a list in member order, or as a map by member name, if known. */
  cells?: Cells | ReadonlyMap<string, number | string>;
}

/** Family of variables, with a variable for each member of an index. */
export interface Family {
  index: Index;
}

/** Meaning of each name on a canvas. A set and a column may share a name, because formulas use them in different positions. */
export interface Vocabulary {
  sets: ReadonlyMap<string, SetShape>;
  /** Columns by name. Columns of different sets may share a name. */
  columns: ReadonlyMap<string, readonly ColumnShape[]>;
  families: ReadonlyMap<string, Family>;
  /** Variables without an index. */
  variables: ReadonlySet<string>;
  /** Variables and families whose values are 0 or 1. */
  decisions?: ReadonlySet<string>;
  /** Variables and families with integer values. */
  wholes?: ReadonlySet<string>;
  /** Constants without an index. */
  values: ReadonlyMap<string, number>;
  /** Definitions of the constants and columns that are computed, by name. */
  computed?: ReadonlyMap<string, Computed>;
  /** Comparisons left for this pass over the canvas. Unlimited if absent. */
  budget?: ComparisonBudget;
}

/** Whether a name is a constant without an index. */
export const isConstant = (name: string, { values, computed }: Pick<Vocabulary, 'values' | 'computed'>): boolean => {
  const definition = computed?.get(name);
  return values.has(name) || (definition !== undefined && definition.index === undefined);
};

/** Returns the date or time format of each key of a family, as bound by its index. */
export function readingsOfFamily({ index }: Family, { sets }: Pick<Vocabulary, 'sets'>): (DateReading | undefined)[] {
  const readings = new Map<string, DateReading | undefined>();
  for (const { names, set } of index.over)
    for (const [part, name] of names.entries())
      if (!readings.has(name)) readings.set(name, sets.get(set)?.readings?.[part]);
  return [...readings.values()];
}

/** Returns the distinct names that an index binds, in the order of first occurrence. */
export const namesOfIndex = ({ over }: Index): string[] => [...new Set(over.flatMap(({ names }) => names))];
