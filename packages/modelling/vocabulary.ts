import type { DateReading } from './dates.js';
import type { Index } from './formula.js';
import type { LookupBudget, Values } from './values.js';

/** Cells of a column in the order of the members; null where one is empty. */
export type Cells = readonly (number | string | null)[];

/** A set as formulas see it. */
export interface SetShape {
  /** Columns of its keys: 1 for a plain set, 2 for pairs. */
  arity: number;
  /** The texts of each column of the keys, as far as they are known. */
  parts?: readonly (Values | undefined)[];
  /** Each column of the keys, member by member, as far as they are known. Absent for a set of single members. */
  keys?: readonly Cells[];
  /** How the dates or times of each column of the keys are read. */
  readings?: readonly (DateReading | undefined)[];
  /** Number of members of a set in a file, as far as it is known. */
  size?: number;
  /** Stands for figures that are missing. */
  fallback?: number;
}

/** A column of figures or of texts (labels) over a set. */
export interface ColumnShape {
  /** The set that it is over: it takes as many keys. */
  set: string;
  type: 'number' | 'text';
  /** How its dates or times are read. */
  reading?: DateReading;
  /** Of a column of texts that seems to be meant as figures: which one is none, in a sentence. */
  misfit?: string;
  /** What it is called in which file, if formulas call it otherwise. */
  origin?: string;
  /** What its file calls it, if formulas call it otherwise. */
  column?: string;
  /** The different texts, as far as they are known. */
  values?: Values;
  /** The smallest and the largest figure, as far as they are known. */
  range?: readonly [number, number];
  /** The key of the first member without a figure. */
  empty?: readonly string[];
  /** The cells, in the order of the members or by member, as far as they are known. */
  cells?: Cells | ReadonlyMap<string, number | string>;
}

/** A variable for each member of an index. */
export interface Family {
  index: Index;
}

/** What the names of a canvas stand for. A set and a column may be called the same: the place tells which is meant. */
export interface Vocabulary {
  sets: ReadonlyMap<string, SetShape>;
  /** Several where columns of different sets are called the same. */
  columns: ReadonlyMap<string, readonly ColumnShape[]>;
  families: ReadonlyMap<string, Family>;
  /** Variables without an index. */
  variables: ReadonlySet<string>;
  /** Variables and families whose values are whole numbers. */
  wholes?: ReadonlySet<string>;
  /** Figures without an index. */
  values: ReadonlyMap<string, number>;
  /** Comparisons of texts that are left for this look at the canvas. Absent: no bound. */
  lookups?: LookupBudget;
}

/** The readings of the parts of a family's members, as its index binds them. */
export function readingsOfFamily({ index }: Family, { sets }: Pick<Vocabulary, 'sets'>): (DateReading | undefined)[] {
  const readings = new Map<string, DateReading | undefined>();
  for (const { names, set } of index.over)
    for (const [part, name] of names.entries())
      if (!readings.has(name)) readings.set(name, sets.get(set)?.readings?.[part]);
  return [...readings.values()];
}

/** The names that an index binds, in the order in which they come first. */
export const namesOfIndex = ({ over }: Index): string[] => [...new Set(over.flatMap(({ names }) => names))];
