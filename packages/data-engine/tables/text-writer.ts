import { closeSync, openSync, writeSync } from 'node:fs';
import { TaskProblem } from '../tasks.js';
import { MAX_ROW_BYTES, MAX_TEXT_BYTES } from '../limits.js';
import type { TextSource } from './parquet-writer.js';

/** Content of an empty cell in files from {@link TextWriter}. All other cells are quoted. */
const NULL_TOKEN = String.raw`\N`;

const QUOTE = 0x22;
const COMMA = 0x2c;
const LF = 0x0a;
const CR = 0x0d;
const NULL_BYTES = Buffer.from(NULL_TOKEN);
const FLUSH_BYTES = 1024 ** 2;

/** Writes a text table in a format that DuckDB reads unambiguously: `"a","b""c",\N`. */
export class TextWriter {
  private readonly file: number;
  private bytes = Buffer.allocUnsafeSlow(2 * FLUSH_BYTES);
  private length = 0;
  private rowStart = 0;
  private cells = 0;
  private hasNewlines = false;
  private longestRow = 0;
  /** Number of bytes already written to the file. */
  private written = 0;

  constructor(private readonly path: string) {
    this.file = openSync(path, 'wx');
  }

  null(): void {
    this.separate(NULL_BYTES.length);
    this.length += NULL_BYTES.copy(this.bytes, this.length);
  }

  text(content: Uint8Array, start = 0, end = content.length): void {
    this.separate(2 * (end - start) + 2);
    const { bytes } = this;
    let to = this.length;
    bytes[to++] = QUOTE;
    for (let at = start; at < end; at += 1) {
      const byte = content[at]!;
      if (byte === QUOTE) bytes[to++] = QUOTE;
      else if (byte === LF || byte === CR) this.hasNewlines = true;
      bytes[to++] = byte;
    }
    bytes[to++] = QUOTE;
    this.length = to;
  }

  endRow(): void {
    this.bytes[this.length] = LF;
    this.length += 1;
    this.longestRow = Math.max(this.longestRow, this.length - this.rowStart);
    // Quoting may double the length of a cell.
    if (this.longestRow > 2 * MAX_ROW_BYTES)
      throw new TaskProblem('unreadable', `A row has more than ${MAX_ROW_BYTES / 1024 ** 2} MiB`);
    this.rowStart = this.length;
    this.cells = 0;
    if (this.length >= FLUSH_BYTES) this.flush();
  }

  /** Completes the file and describes how DuckDB must read it. Rows may have fewer cells than `columns`. */
  finish(columns: number, { header, isRagged }: { header: boolean; isRagged: boolean }): TextSource {
    this.flush();
    const { path, hasNewlines, longestRow } = this;
    return {
      path,
      delimiter: ',',
      quote: '"',
      header,
      columns,
      isRagged,
      newLine: '\n',
      nullToken: NULL_TOKEN,
      hasNewlines,
      longestRow,
    };
  }

  close(): void {
    closeSync(this.file);
  }

  private flush(): void {
    this.written += this.length;
    if (this.written > MAX_TEXT_BYTES)
      throw new TaskProblem('unreadable', `The table has more than ${MAX_TEXT_BYTES / 1024 ** 3} GiB as text`);
    for (let at = 0; at < this.length;) at += writeSync(this.file, this.bytes, at, this.length - at);
    this.length = 0;
    this.rowStart = 0;
  }

  private separate(byteCount: number): void {
    if (this.length + byteCount + 2 > this.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(2 * (this.bytes.length + byteCount));
      this.bytes.copy(larger, 0, 0, this.length);
      this.bytes = larger;
    }
    if (this.cells > 0) this.bytes[this.length++] = COMMA;
    this.cells += 1;
  }
}
