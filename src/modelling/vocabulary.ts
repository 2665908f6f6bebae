import type { Index } from './formula.js';

/** A set as formulas see it. */
export interface SetShape {
  /** Columns of its keys: 1 for a plain set, 2 for pairs. */
  arity: number;
}

/** A column of figures or of texts (labels) over a set. */
export interface ColumnShape {
  /** The set that it is over: it takes as many keys. */
  set: string;
  type: 'number' | 'text';
  /** Of a column of texts that seems to be meant as figures: which one is none, in a sentence. */
  misfit?: string;
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
}

/** The names that an index binds, in the order in which they come first. */
export const namesOfIndex = ({ over }: Index): string[] => [...new Set(over.flatMap(({ names }) => names))];
