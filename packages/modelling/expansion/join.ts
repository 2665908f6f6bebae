import type { DateReading } from '../dates.js';
import type { Membership } from '../formula.js';
import { allRows, type Derived, type Frame, type Home, pick, pickFrom } from './frame.js';
import { KeyTable } from './key-table.js';
import type { Members } from './space.js';

/** Pair of columns that must be equal for a member to match a row. */
export interface JoinKey {
  members: Int32Array;
  rows: Int32Array;
}

/**
 * Returns the members of a set with their values for the names that the rows do not bind yet. If a name is repeated, as in
 * `(a, a)`, excludes members whose key parts differ.
 */
export function newMembers({ names }: Membership, set: Members, rows: Frame): Derived {
  const codes = new Map<string, Int32Array>();
  const homes = new Map<string, Home>();
  const readings = new Map<string, DateReading>();
  const doubled: [Int32Array, Int32Array][] = [];
  for (const [part, name] of names.entries()) {
    const column = set.columns[part]!;
    const before = codes.get(name);
    const home = homes.get(name) ?? rows.homes.get(name);
    // The order of a set of single members takes precedence over the order in which they occur in pairs.
    if (home === undefined || (names.length === 1 && home.set.columns.length > 1)) homes.set(name, { set, part });
    if (before !== undefined) doubled.push([before, column]);
    else if (!rows.codes.has(name)) {
      codes.set(name, column);
      const reading = set.readings[part];
      if (reading !== undefined) readings.set(name, reading);
    }
  }
  const frame: Frame = { size: set.size, codes, homes, readings };
  const all = allRows(set.size);
  if (doubled.length === 0) return { frame, parents: all };
  const matchingRows = all.filter((row) => doubled.every(([one, other]) => one[row] === other[row]));
  return { frame: pick(frame, matchingRows), parents: matchingRows };
}

/** Returns the join keys between members and rows: one for each name that an outer index has already bound. */
export function boundKeys({ names }: Membership, set: Members, members: Int32Array, frame: Frame): JoinKey[] {
  return names.flatMap((name, at): JoinKey[] => {
    const rows = frame.codes.get(name);
    return rows === undefined ? [] : [{ members: pickFrom(set.columns[at]!, members), rows }];
  });
}

/** Converts numbers to a join key. Equal numbers have the same code. */
export function keyOfFigures(members: Float64Array, rows: Float64Array): JoinKey {
  const ids = new Map<number, number>();
  const idsOf = (figures: Float64Array): Int32Array =>
    Int32Array.from(figures, (figure) => {
      const id = ids.get(figure) ?? ids.size;
      ids.set(figure, id);
      return id;
    });
  return { members: idsOf(members), rows: idsOf(rows) };
}

/**
 * Joins each row with all members whose keys are equal.
 *
 * @param admit called with the number of joined rows before they are created; may throw to refuse them
 */
export function join(frame: Frame, members: Frame, keys: readonly JoinKey[], admit: (size: number) => void): Derived {
  const table = new KeyTable(
    keys.length === 0 ? [new Int32Array(members.size)] : keys.map((key) => key.members),
    members.size,
  );
  const ofRows = keys.length === 0 ? [new Int32Array(frame.size)] : keys.map((key) => key.rows);
  const groups = groupsOf(table);
  const groupIds = table.find(ofRows, frame.size);
  let size = 0;
  for (const id of groupIds) {
    if (id >= 0) size += groups.starts[id + 1]! - groups.starts[id]!;
  }
  admit(size);
  const parents = new Int32Array(size);
  const chosen = new Int32Array(size);
  let at = 0;
  for (let row = 0; row < frame.size; row += 1) {
    const id = groupIds[row]!;
    if (id < 0) continue;
    for (let place = groups.starts[id]!; place < groups.starts[id + 1]!; place += 1) {
      parents[at] = row;
      chosen[at] = groups.members[place]!;
      at += 1;
    }
  }
  const rows = pick(frame, parents);
  return {
    frame: {
      size,
      codes: new Map([...rows.codes, ...pick(members, chosen).codes]),
      homes: new Map([...frame.homes, ...members.homes]),
      readings: new Map([...frame.readings, ...members.readings]),
    },
    parents,
  };
}

/** Groups the rows by tuple. Rows of a group keep their original order. */
function groupsOf({ ids, size }: KeyTable): { starts: Int32Array; members: Int32Array } {
  const starts = new Int32Array(size + 1);
  for (const id of ids) if (id >= 0) starts[id + 1]! += 1;
  for (let id = 0; id < size; id += 1) starts[id + 1]! += starts[id]!;
  const next = starts.slice();
  const members = new Int32Array(starts[size]!);
  for (let row = 0; row < ids.length; row += 1) if (ids[row]! >= 0) members[next[ids[row]!]!++] = row;
  return { starts, members };
}
