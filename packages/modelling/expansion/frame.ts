import type { DateReading } from '../dates.js';
import type { Members } from './space.js';

/** Rows that an index stands for: each is one choice of members. */
export interface Frame {
  size: number;
  /** The member that each index stands for, row by row. */
  codes: ReadonlyMap<string, Int32Array>;
  /** The sets that indices run over one by one: lags go by their order. */
  homes: ReadonlyMap<string, Members>;
  /** How the dates or times that indices stand for are read. */
  readings: ReadonlyMap<string, DateReading>;
}

/** Without an index there is one row. */
export const ONE_ROW: Frame = { size: 1, codes: new Map(), homes: new Map(), readings: new Map() };

/** A frame made of the rows of another one, which `parents` tells. */
export interface Derived {
  frame: Frame;
  parents: Int32Array;
}

/** Some rows of a frame, in the order given; a row may come several times. */
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

/** The numbers of the rows that a mask lets pass. */
export function passing(mask: Uint8Array): Int32Array {
  let count = 0;
  for (const passes of mask) count += passes;
  const rows = new Int32Array(count);
  let at = 0;
  for (let row = 0; row < mask.length; row += 1) if (mask[row] === 1) rows[at++] = row;
  return rows;
}

export const allRows = (size: number): Int32Array => Int32Array.from({ length: size }, (_, row) => row);
