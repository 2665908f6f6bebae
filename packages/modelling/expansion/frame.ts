import type { DateReading } from '../dates.js';
import type { Members } from './space.js';

/** Rows of an index. Each row is a combination of members. */
export interface Frame {
  size: number;
  /** Member codes of each index name, by row. */
  codes: ReadonlyMap<string, Int32Array>;
  /** Key parts that the index names iterate over. Lags follow their order. */
  homes: ReadonlyMap<string, Home>;
  /** Formats of the index names that contain dates or times. */
  readings: ReadonlyMap<string, DateReading>;
}

/** Key part of a set. */
export interface Home {
  set: Members;
  part: number;
}

/** Rows of a formula without an index: a single row. */
export const ONE_ROW: Frame = { size: 1, codes: new Map(), homes: new Map(), readings: new Map() };

/** Frame derived from the rows of a parent frame. `parents` contains the row numbers in the parent frame. */
export interface Derived {
  frame: Frame;
  parents: Int32Array;
}

/** Returns the given rows of a frame in the given order. Rows may repeat. */
export function pick({ codes, ...rest }: Frame, rows: Int32Array): Frame {
  const picked = new Map<string, Int32Array>();
  for (const [name, column] of codes) picked.set(name, pickFrom(column, rows));
  return { ...rest, size: rows.length, codes: picked };
}

export function pickFrom(column: Int32Array, rows: Int32Array): Int32Array {
  const picked = new Int32Array(rows.length);
  for (let at = 0; at < rows.length; at += 1) picked[at] = column[rows[at]!]!;
  return picked;
}

/** Returns the numbers of the rows that a mask selects. */
export function passing(mask: Uint8Array): Int32Array {
  let count = 0;
  for (const passes of mask) count += passes;
  const rows = new Int32Array(count);
  let at = 0;
  for (let row = 0; row < mask.length; row += 1) if (mask[row] === 1) rows[at++] = row;
  return rows;
}

export const allRows = (size: number): Int32Array => Int32Array.from({ length: size }, (_, row) => row);
