import type { DateReading } from '../dates.js';
import { KeyTable } from './key-table.js';
import { Texts } from './texts.js';

/** The members of a set, in order. */
export interface SetData {
  /** What the columns of the keys are called. */
  titles: readonly string[];
  /** A list for each column of the keys, all of the same length. */
  keys: readonly [readonly string[], ...(readonly string[])[]];
  /** How the dates or times of each column of the keys are read. */
  readings?: readonly (DateReading | undefined)[];
}

/** A column over a set, with a cell for each member. */
export type ColumnData = {
  set: string;
} & (
  | {
      type: 'number';
      /** NaN where there is none. */
      figures: Float64Array;
      /** What stands for a missing one. */
      fallback?: number;
    }
  | { type: 'text'; texts: readonly (string | null)[]; reading?: DateReading }
);

/** A set with its members as numbers of {@link Texts}. */
export interface Members {
  name: string;
  titles: readonly string[];
  columns: readonly Int32Array[];
  size: number;
  table: KeyTable;
  readings: readonly (DateReading | undefined)[];
}

/** A column with its texts as such numbers; null is the empty text. */
export type Column = { name: string; set: Members } & (
  | { type: 'number'; figures: Float64Array; fallback?: number }
  | { type: 'text'; codes: Int32Array; reading?: DateReading }
);

/** The variables of a family: one for each of its members, one after the other. */
export interface FamilyOf {
  name: string;
  names: readonly string[];
  columns: readonly Int32Array[];
  size: number;
  table: KeyTable;
  /** How the dates or times of each part of its members are read. */
  readings: readonly (DateReading | undefined)[];
  /** The variable of the first member. */
  from: number;
}

/** All that formulas are expanded over. */
export class Space {
  readonly texts: Texts;
  readonly sets = new Map<string, Members>();
  readonly columns = new Map<string, Column>();
  /** The second sets of columns that are called like one of another set: formulas cannot mean either. */
  readonly doubled = new Map<string, string>();
  readonly families = new Map<string, FamilyOf>();
  readonly variables = new Map<string, number>();
  readonly values = new Map<string, number>();

  /** @param readings of the columns with dates or times in files */
  constructor(readings: Iterable<DateReading> = []) {
    this.texts = new Texts(readings);
  }

  addSet(name: string, { titles, keys, readings = [] }: SetData): Members {
    const columns = keys.map((texts) => Int32Array.from(texts, (text) => this.texts.add(text)));
    const size = keys[0].length;
    const set = { name, titles, columns, size, table: new KeyTable(columns, size), readings };
    this.sets.set(name, set);
    return set;
  }

  addColumn(name: string, data: ColumnData): void {
    const set = this.sets.get(data.set);
    if (set === undefined) throw new Error(`The column ${name} is over no set`);
    if (this.columns.has(name)) {
      this.doubled.set(name, data.set);
      return;
    }
    if (data.type === 'number') {
      this.columns.set(name, { name, ...data, set });
      return;
    }
    const { texts, ...rest } = data;
    this.columns.set(name, { name, ...rest, set, codes: Int32Array.from(texts, (text) => this.texts.add(text ?? '')) });
  }
}
