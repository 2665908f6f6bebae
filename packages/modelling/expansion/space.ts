import { KeyTable } from './key-table.js';
import { Texts } from './texts.js';

/** The members of a set, in order. */
export interface SetData {
  /** What the columns of the keys are called. */
  titles: readonly string[];
  /** A list for each column of the keys, all of the same length. */
  keys: readonly [readonly string[], ...(readonly string[])[]];
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
  | { type: 'text'; texts: readonly (string | null)[] }
);

/** A set with its members as numbers of {@link Texts}. */
export interface Members {
  name: string;
  titles: readonly string[];
  columns: readonly Int32Array[];
  size: number;
  table: KeyTable;
}

/** A column with its texts as such numbers; null is the empty text. */
export type Column = { name: string; set: Members } & (
  { type: 'number'; figures: Float64Array; fallback?: number } | { type: 'text'; codes: Int32Array }
);

/** The variables of a family: one for each of its members, one after the other. */
export interface FamilyOf {
  name: string;
  names: readonly string[];
  columns: readonly Int32Array[];
  size: number;
  table: KeyTable;
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

  /** @param hasDates whether a column of a file has dates */
  constructor(hasDates = false) {
    this.texts = new Texts(hasDates);
  }

  addSet(name: string, { titles, keys }: SetData): Members {
    const columns = keys.map((texts) => Int32Array.from(texts, (text) => this.texts.add(text)));
    const size = keys[0].length;
    const set = { name, titles, columns, size, table: new KeyTable(columns, size) };
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
    this.columns.set(
      name,
      data.type === 'number'
        ? { name, ...data, set }
        : { name, type: 'text', set, codes: Int32Array.from(data.texts, (text) => this.texts.add(text ?? '')) },
    );
  }
}
