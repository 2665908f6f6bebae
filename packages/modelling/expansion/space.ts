import type { DateReading } from '../dates.js';
import { KeyTable } from './key-table.js';
import { Texts } from './texts.js';

/** Members of a set, in order. */
export interface SetData {
  /** Titles of the key columns. */
  titles: readonly string[];
  /** Key columns, all of the same length. */
  keys: readonly [readonly string[], ...(readonly string[])[]];
  /** Date or time format of each key column. */
  readings?: readonly (DateReading | undefined)[];
}

/** Column with a cell for each member of a set. */
export type ColumnData = {
  set: string;
} & (
  | {
      type: 'number';
      /** Values by member. NaN if the value is missing. */
      figures: Float64Array;
      /** Default for missing values. */
      fallback?: number;
      /** Whether a formula defines the column. */
      isComputed?: true;
    }
  | {
      type: 'text';
      texts: readonly (string | null)[];
      reading?: DateReading;
      /** Sentence about the first non-numeric cell, for a column that is probably meant to be numeric. */
      misfit?: string;
    }
);

/** Set whose members are codes of {@link Texts}. */
export interface Members {
  name: string;
  titles: readonly string[];
  columns: readonly Int32Array[];
  size: number;
  table: KeyTable;
  readings: readonly (DateReading | undefined)[];
  /** Orders of the key parts that have been used, for a set with several key columns. */
  orders: Map<number, Order>;
}

/** Distinct members of a key part in the order of first occurrence, which lags follow. */
export interface Order {
  members: Int32Array;
  table: KeyTable;
}

/** Returns the order of a key part. */
export function orderOf(set: Members, part: number): Order {
  if (set.columns.length === 1) return { members: set.columns[0]!, table: set.table };
  const known = set.orders.get(part);
  if (known !== undefined) return known;
  const members = Int32Array.from(new Set(set.columns[part]));
  const order = { members, table: new KeyTable([members], members.length) };
  set.orders.set(part, order);
  return order;
}

/** Column whose strings are codes of {@link Texts}. Null becomes the empty string. */
export type Column = { name: string; set: Members; isComputed?: true } & (
  | { type: 'number'; figures: Float64Array; fallback?: number }
  | { type: 'text'; codes: Int32Array; reading?: DateReading; misfit?: string }
);

/** Variables of a family. They are numbered consecutively in the order of the members. */
export interface FamilyOf {
  name: string;
  names: readonly string[];
  columns: readonly Int32Array[];
  size: number;
  table: KeyTable;
  /** Date or time format of each key part. */
  readings: readonly (DateReading | undefined)[];
  /** Number of the first member's variable. */
  from: number;
}

/** Data needed to expand formulas. */
export class Space {
  readonly texts: Texts;
  readonly sets = new Map<string, Members>();
  /** Names of the sets whose lags continue at the other end. */
  readonly cyclicSets = new Set<string>();
  readonly columns = new Map<string, Column>();
  /** For each column name that exists in several sets, the second of these sets. Formulas cannot refer to such a column. */
  readonly doubled = new Map<string, string>();
  readonly families = new Map<string, FamilyOf>();
  readonly variables = new Map<string, number>();
  readonly values = new Map<string, number>();

  /** @param readings formats of the columns with dates or times in files */
  constructor(readings: Iterable<DateReading> = []) {
    this.texts = new Texts(readings);
  }

  addSet(name: string, { titles, keys, readings = [] }: SetData): Members {
    return this.addMembers(name, { titles, columns: keys.map((texts) => this.codesOf(texts)), readings });
  }

  codesOf(texts: readonly string[]): Int32Array {
    return Int32Array.from(texts, (text) => this.texts.add(text));
  }

  /** Adds a set by the codes of its members. */
  addMembers(name: string, { titles, columns, readings }: Pick<Members, 'titles' | 'columns' | 'readings'>): Members {
    const size = columns[0]?.length ?? 0;
    const set = { name, titles, columns, size, table: new KeyTable(columns, size), readings, orders: new Map() };
    this.sets.set(name, set);
    return set;
  }

  addColumn(name: string, data: ColumnData): void {
    const set = this.sets.get(data.set);
    if (set === undefined) throw new Error(`The column ${name} has no set`);
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
