/** Most numbers of texts and of tuples, so that two of them fit into one exact number. */
const SPAN = 2 ** 26;
/** Longest table that has a place for each pair of numbers. */
const MAX_PLACES = 2 ** 22;

/** Numbers pairs of a tuple and the number that follows it. */
interface Level {
  find(id: number, code: number): number;
  /** @param id the number of a pair that is not there yet */
  add(from: number, code: number, id: number): void;
}

/**
 * The distinct tuples of some columns of whole numbers from 0, numbered in the order in which they come first. Negative
 * numbers are in no tuple that is found.
 */
export class KeyTable {
  /** Which tuple each row has. */
  readonly ids: Int32Array;
  /** Number of distinct tuples. */
  readonly size: number;
  private readonly levels: Level[] = [];

  constructor(columns: readonly Int32Array[], length: number) {
    let ids = new Int32Array(length);
    let size = 1;
    for (const column of columns) {
      let largest = -1;
      for (let row = 0; row < length; row += 1) largest = Math.max(largest, column[row]!);
      const level = size * (largest + 1) <= MAX_PLACES ? placesFor(size, largest + 1) : pairs();
      const next = new Int32Array(length);
      size = 0;
      for (let row = 0; row < length; row += 1) {
        let id = level.find(ids[row]!, column[row]!);
        if (id < 0) level.add(ids[row]!, column[row]!, (id = size++));
        next[row] = id;
      }
      this.levels.push(level);
      ids = next;
    }
    this.ids = ids;
    this.size = size;
  }

  /** The number of the tuple that stands in a row of other columns; -1 for one that is not there. */
  find(columns: readonly Int32Array[], row: number): number {
    let id = 0;
    for (let level = 0; level < this.levels.length && id >= 0; level += 1) {
      const code = columns[level]![row]!;
      id = code < 0 ? -1 : this.levels[level]!.find(id, code);
    }
    return id;
  }
}

function placesFor(ids: number, codes: number): Level {
  const places = new Int32Array(ids * codes).fill(-1);
  return {
    find: (id, code) => (code < codes ? places[id * codes + code]! : -1),
    add: (from, code, id) => {
      places[from * codes + code] = id;
    },
  };
}

function pairs(): Level {
  const ids = new Map<number, number>();
  return {
    find: (id, code) => ids.get(id * SPAN + code) ?? -1,
    add: (from, code, id) => {
      ids.set(from * SPAN + code, id);
    },
  };
}
