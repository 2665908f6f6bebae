import { MAX_CELL_BYTES, MAX_COLUMNS } from '../limits.js';
import { TaskProblem } from '../tasks.js';

const LF = 0x0a;
const CR = 0x0d;
const BLANK = 0x20;
const BACKSLASH = 0x5c;

/** Cell notations. A bare cell has no quotes. */
const BARE = 0;
/** Quoted, with content that can be used unchanged. */
const QUOTED = 1;
/** Quoted, with doubled quotes inside or text after the closing quote. */
const ESCAPED = 2;

/**
 * Finds records and cells in the bytes of delimited text in UTF-8, or in another encoding whose ASCII characters are single
 * bytes.
 *
 * LF, CRLF and CR end a record. A cell that starts with a quote, possibly after blanks, extends to the closing quote, and a
 * doubled quote represents a single quote. Text after the closing quote belongs to the cell, but blanks do not. Any other quote
 * is ordinary text. If a quoted part has both blanks before it and text after it, its quotes are ordinary text too.
 */
export class RecordScanner {
  /** Number of cells in the last record. Cells beyond {@link MAX_COLUMNS} are only counted. */
  cells = 0;
  /** Whether DuckDB would parse any record so far differently. */
  isOdd = false;
  hasQuotes = false;
  hasNewlinesInCells = false;
  /** Whether the last record has an unclosed quote. */
  isUnclosed = false;
  /**
   * Last cell that has text after its closing quote and a backslash before a quote. The backslash may escape the quote, so the
   * end of the cell is uncertain. -1 if there is no such cell.
   */
  escapedCell = -1;
  longest = 0;
  private readonly starts = new Int32Array(MAX_COLUMNS + 1);
  private readonly ends = new Int32Array(MAX_COLUMNS + 1);
  private readonly kinds = new Uint8Array(MAX_COLUMNS + 1);
  /** Lookup table with 1 for each byte that ends a bare cell. */
  private readonly isEnd = new Uint8Array(256);
  private newline = 0;
  /** Bytes that contain the last record. */
  bytes: Uint8Array = new Uint8Array(0);

  constructor(
    private readonly delimiter: number,
    /** 0 if the text has no quotes. */
    private readonly quote: number,
  ) {
    for (const byte of [delimiter, LF, CR]) this.isEnd[byte] = 1;
  }

  /**
   * Reads the record at a position. Returns the start of the next record, or -1 if this record may continue beyond `end`.
   *
   * @throws TaskProblem `unreadable`, without a row, if a cell is too long
   */
  read(bytes: Uint8Array, start: number, end: number, isLast: boolean): number {
    this.bytes = bytes;
    this.escapedCell = -1;
    let cells = 0;
    let at = start;
    for (;;) {
      const cell = at;
      let first = at;
      let last: number;
      let kind = BARE;
      const byte = bytes[at]!;
      if (at < end && (byte === this.quote || byte === BLANK) && this.startsQuoted(at, end)) {
        while (bytes[at] === BLANK) at += 1;
        if (at > first) this.isOdd = true;
        first = at + 1;
        at = this.endOfQuoted(first, end);
        if (at < 0) {
          if (!isLast) return -1;
          this.isUnclosed = true;
          at = end;
          last = end;
          kind = ESCAPED;
        } else {
          kind = this.quotedKind;
          last = at;
          at += 1;
          if (at >= end && !isLast) return -1;
          if (at < end && this.isEnd[bytes[at]!] === 0) {
            this.isOdd = true;
            const tail = at;
            at = this.endOfBare(at, end);
            if (at >= end && !isLast) return -1;
            let text = at;
            while (text > tail && bytes[text - 1] === BLANK) text -= 1;
            if (text > tail) {
              last = text;
              kind = ESCAPED;
              if (this.hasEscapedQuote(first, tail)) this.escapedCell = cells;
              else if (first > cell + 1) {
                at = this.endOfBare(cell, end);
                [first, last, kind] = [cell, at, BARE];
              }
            }
          }
        }
        this.hasQuotes = true;
      } else {
        at = this.endOfBare(at, end);
        last = at;
      }
      if (last - first > MAX_CELL_BYTES) throw new TaskProblem('unreadable', tooLong);
      if (cells < MAX_COLUMNS) {
        this.starts[cells] = first;
        this.ends[cells] = last;
        this.kinds[cells] = kind;
      }
      cells += 1;
      if (at < end && bytes[at] === this.delimiter && at >= cell) {
        at += 1;
        if (at >= end && !isLast) return -1;
        continue;
      }
      break;
    }
    let next = at;
    if (at >= end) {
      if (!isLast) return -1;
    } else {
      let newline = 1;
      next = at + 1;
      if (bytes[at] === CR) {
        if (next >= end && !isLast) return -1;
        newline = next < end && bytes[next] === LF ? 2 : 3;
        if (newline === 2) next += 1;
        else this.isOdd = true;
      }
      if (this.newline !== newline) {
        if (this.newline !== 0) this.isOdd = true;
        this.newline = newline;
      }
    }
    if (next - start > this.longest) this.longest = next - start;
    this.cells = cells;
    return next;
  }

  start(cell: number): number {
    return this.starts[cell]!;
  }

  end(cell: number): number {
    return this.ends[cell]!;
  }

  /** Returns true if the bytes between {@link start} and {@link end} must be converted to get the content of the cell. */
  isEscaped(cell: number): boolean {
    return this.kinds[cell] === ESCAPED;
  }

  isEmpty(cell: number): boolean {
    return this.starts[cell] === this.ends[cell];
  }

  /** Line break between the records. Reliable only if {@link isOdd} is false. */
  get newLine(): '\n' | '\r\n' {
    return this.newline === 2 ? '\r\n' : '\n';
  }

  /** Returns true if the last record is a line of blanks. */
  isBlankLine(): boolean {
    if (this.cells !== 1 || this.kinds[0] !== BARE) return false;
    for (let at = this.starts[0]!; at < this.ends[0]!; at += 1) if (this.bytes[at] !== BLANK) return false;
    return true;
  }

  /** Returns a cell's bytes with escaped quotes resolved. */
  content(cell: number): Buffer {
    const { buffer, byteOffset } = this.bytes;
    const raw = Buffer.from(buffer, byteOffset + this.starts[cell]!, this.ends[cell]! - this.starts[cell]!);
    if (this.kinds[cell] !== ESCAPED) return raw;
    const content = Buffer.alloc(raw.length);
    let length = 0;
    let isInside = true;
    for (let at = 0; at < raw.length; at += 1) {
      if (isInside && raw[at] === this.quote) {
        if (raw[at + 1] !== this.quote) {
          isInside = false;
          continue;
        }
        at += 1;
      }
      content[length] = raw[at]!;
      length += 1;
    }
    return content.subarray(0, length);
  }

  private endOfBare(at: number, end: number): number {
    while (at < end && this.isEnd[this.bytes[at]!] === 0) at += 1;
    return at;
  }

  private startsQuoted(at: number, end: number): boolean {
    if (this.quote === 0) return false;
    while (at < end && this.bytes[at] === BLANK) at += 1;
    return at < end && this.bytes[at] === this.quote && this.delimiter !== BLANK;
  }

  private hasEscapedQuote(start: number, end: number): boolean {
    for (let at = start + 1; at < end; at += 1)
      if (this.bytes[at] === this.quote && this.bytes[at - 1] === BACKSLASH) return true;
    return false;
  }

  private quotedKind = QUOTED;

  /** Returns the position of the closing quote, or -1 if it is missing or may be the first half of a doubled quote. */
  private endOfQuoted(start: number, end: number): number {
    const { bytes, quote } = this;
    this.quotedKind = QUOTED;
    for (let at = start; at < end; at += 1) {
      const byte = bytes[at]!;
      if (byte === quote) {
        if (at + 1 >= end || bytes[at + 1] !== quote) return at;
        this.quotedKind = ESCAPED;
        at += 1;
      } else if (byte === LF || byte === CR) {
        this.hasNewlinesInCells = true;
      }
      if (at - start > MAX_CELL_BYTES) throw new TaskProblem('unreadable', tooLong);
    }
    return -1;
  }
}

const tooLong = `A cell is larger than ${MAX_CELL_BYTES / 1024 ** 2} MiB, perhaps because a quote is not closed`;
