/** Most numbers of tuples and of codes, so that two of them fit into one exact number. */
const SPAN = 2 ** 26;
/** Longest table that has a place for each pair of numbers. */
const MAX_PLACES = 2 ** 22;

/** Numbers pairs of the number of a tuple and the code behind it. */
interface Level {
  /** The codes that there are, numbered from 0; -1 for others. */
  locals: Int32Array;
  /** How many there are. */
  width: number;
  /** By `tuple * width + code`: a place for each, or those that there are where that would be too long. */
  pairs: Int32Array | Map<number, number>;
}

/**
 * The distinct tuples of some columns of whole numbers from 0, numbered in the order in which they come first. Tuples with
 * a negative number in them are in no table.
 */
export class KeyTable {
  /** Which tuple each row has; -1 for none. */
  readonly ids: Int32Array;
  /** Number of distinct tuples. */
  readonly size: number;
  private readonly levels: Level[] = [];

  constructor(columns: readonly Int32Array[], length: number) {
    this.ids = new Int32Array(length);
    this.size = 1;
    for (const column of columns) {
      const level = levelFor(column, this.size);
      this.size = extend(level, this.ids, column);
      this.levels.push(level);
    }
  }

  /** The numbers of the tuples in the first rows of other columns; -1 for those that are not there. */
  find(columns: readonly Int32Array[], length: number): Int32Array {
    const ids = new Int32Array(length);
    for (const [at, { locals, width, pairs }] of this.levels.entries()) {
      const column = columns[at]!;
      for (let row = 0; row < length; row += 1) {
        const code = column[row]!;
        const local = code >= 0 && code < locals.length ? locals[code]! : -1;
        if (ids[row]! < 0 || local < 0) ids[row] = -1;
        else if (pairs instanceof Int32Array) ids[row] = pairs[ids[row]! * width + local]!;
        else ids[row] = pairs.get(ids[row]! * SPAN + local) ?? -1;
      }
    }
    return ids;
  }
}

/** An empty level over a column. @param tuples the number of those before it */
function levelFor(column: Int32Array, tuples: number): Level {
  let largest = -1;
  for (const code of column) if (code > largest) largest = code;
  const locals = new Int32Array(largest + 1).fill(-1);
  let width = 0;
  for (const code of column) if (code >= 0 && locals[code]! < 0) locals[code] = width++;
  const isShort = tuples * width <= MAX_PLACES;
  return { locals, width, pairs: isShort ? new Int32Array(tuples * width).fill(-1) : new Map() };
}

/** Puts the numbers of the longer tuples in the place of those so far; answers how many there are. */
function extend({ locals, width, pairs }: Level, ids: Int32Array, column: Int32Array): number {
  let size = 0;
  for (let row = 0; row < ids.length; row += 1) {
    const [tuple, code] = [ids[row]!, column[row]!];
    if (tuple < 0 || code < 0) {
      ids[row] = -1;
      continue;
    }
    const isShort = pairs instanceof Int32Array;
    const pair = isShort ? tuple * width + locals[code]! : tuple * SPAN + locals[code]!;
    let id = isShort ? pairs[pair]! : (pairs.get(pair) ?? -1);
    if (id < 0) {
      id = size++;
      if (isShort) pairs[pair] = id;
      else pairs.set(pair, id);
    }
    ids[row] = id;
  }
  return size;
}
