/** Maximum number of tuples, and maximum number of codes. A pair of a tuple and a code fits into a safe integer. */
const SPAN = 2 ** 26;
/** Maximum length of an array with an element for each pair. */
const MAX_PLACES = 2 ** 22;

/** Assigns ids to pairs of a tuple id and the code of the next column. */
interface Level {
  /** Zero-based position of each code among the column's distinct codes, or -1 for all other codes. */
  locals: Int32Array;
  /** Number of distinct codes. */
  width: number;
  /** Tuple ids at `tuple * width + code`. If this array would be too long, a map with the keys `tuple * SPAN + code`. */
  pairs: Int32Array | Map<number, number>;
}

/**
 * Distinct tuples from several columns of codes, numbered from 0 in the order of first occurrence. Tuples with a negative code
 * are excluded.
 */
export class KeyTable {
  /** Tuple id of each row, or -1. */
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

  /** Returns the tuple id of each row in other columns, or -1 if the tuple does not exist. */
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

/**
 * Creates an empty level for a column.
 * @param tuples number of tuples in the preceding columns
 */
function levelFor(column: Int32Array, tuples: number): Level {
  let largest = -1;
  for (const code of column) if (code > largest) largest = code;
  const locals = new Int32Array(largest + 1).fill(-1);
  let width = 0;
  for (const code of column) if (code >= 0 && locals[code]! < 0) locals[code] = width++;
  const isShort = tuples * width <= MAX_PLACES;
  return { locals, width, pairs: isShort ? new Int32Array(tuples * width).fill(-1) : new Map() };
}

/** Extends tuples by a column and replaces their ids. Returns the new number of tuples. */
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
