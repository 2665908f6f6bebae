import { join } from 'node:path';
import { TaskProblem } from '../tasks.js';
import { columnNames } from './column-names.js';
import { ColumnProfiles } from './column-types.js';
import { MAX_CELL_BYTES, MAX_COLUMNS } from '../limits.js';
import { isExactNumber } from './exact-numbers.js';
import {
  BACKSLASH,
  COMMA,
  eachMember,
  endOfValue,
  KeyCache,
  LIST,
  LIST_END,
  MAX_DEPTH,
  OBJECT,
  objectProblem,
  QUOTE,
  skipBlanks,
  TOO_DEEP,
} from './json-scan.js';
import type { TextTable } from './parquet-writer.js';
import type { Reading } from './readings.js';
import { RowNumbering } from './row-numbers.js';
import { readRows, type TextFile, withText } from './text-file.js';
import { TextWriter } from './text-writer.js';

/** ISO 8601 dates and times, including the variant with a blank before the time. */
const ISO_8601 =
  /^(?:\d{8}|\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d(?::?\d\d)?)?)?|\d\d:\d\d(?::\d\d(?:\.\d+)?)?)$/;

const LF = 0x0a;

/**
 * Finds the columns of NDJSON or of a JSON list of objects, and rewrites the file as delimited text. Columns are in the order
 * in which their keys first appear, and a missing key becomes null. Strings are text, or dates and times if they are ISO 8601.
 * Numbers with more digits than a double can hold are text.
 *
 * @throws TaskProblem `unreadable`, with the number of the object as its row
 */
export async function readJson(
  from: string,
  ignoreErrors: boolean,
  scratch: string,
  signal?: AbortSignal,
): Promise<TextTable & { skipped: number }> {
  return withText(
    from,
    join(scratch, 'utf-8'),
    async (file) => {
      const keys = new KeyCache();
      const columns = new JsonColumns();
      const numbering = new RowNumbering();
      const first = new JsonRows(ignoreErrors, (bytes, start, end, row) => {
        eachMember(bytes, start, end, keys, (...member) => columns.observe(bytes, ...member));
        numbering.add(row);
      });
      await first.read(file, signal);
      const names = columnNames(columns.keys);
      if (names.length === 0) throw new TaskProblem('unreadable', 'The file has no objects with values');
      const readings = columns.readings(names);
      const source = await writeRows(file, ignoreErrors, columns, readings, join(scratch, 'rows'), signal);
      const { profiles } = columns;
      const rowNumbers = numbering.list(false);
      return {
        source,
        names,
        rawNames: columns.keys,
        readings,
        profiles,
        rows: numbering.count,
        rowNumbers,
        skipped: first.skipped,
      };
    },
    signal,
    { ignoreErrors, isUnicode: true },
  );
}

async function writeRows(
  file: TextFile,
  ignoreErrors: boolean,
  columns: JsonColumns,
  readings: Reading[],
  path: string,
  signal?: AbortSignal,
) {
  const writer = new TextWriter(path);
  try {
    const keys = new KeyCache();
    const row: (Uint8Array | undefined)[] = new Array<undefined>(readings.length);
    const rows = new JsonRows(ignoreErrors, (bytes, start, end) => {
      row.fill(undefined);
      eachMember(bytes, start, end, keys, (key, from, to) => {
        const column = columns.columnOf(key);
        row[column] = cellOf(bytes, from, to, readings[column]!);
      });
      for (const cell of row) {
        if (cell === undefined) writer.null();
        else writer.text(cell);
      }
      writer.endRow();
    });
    await rows.read(file, signal);
    return writer.finish(readings.length, { header: false, isRagged: false });
  } finally {
    writer.close();
  }
}

/** Returns the text of a value, or undefined for null. */
function cellOf(bytes: Buffer, start: number, end: number, { type }: Reading): Uint8Array | undefined {
  const raw = bytes.subarray(start, end);
  if (raw.length === 4 && raw[0] === 0x6e) return undefined;
  if (type === 'json') return raw;
  return raw[0] === QUOTE ? textOf(raw) : raw;
}

function textOf(raw: Buffer): Buffer {
  if (!raw.includes(BACKSLASH)) return raw.subarray(1, -1);
  return Buffer.from(JSON.parse(raw.toString()) as string);
}

/** Columns of the table, by key. */
class JsonColumns {
  readonly keys: string[] = [];
  readonly profiles = new ColumnProfiles(MAX_COLUMNS);
  private readonly columns = new Map<string, number>();
  private readonly nested = new Set<number>();

  columnOf(key: string): number {
    return this.columns.get(key)!;
  }

  observe(bytes: Buffer, key: string, start: number, end: number): void {
    let column = this.columns.get(key);
    if (column === undefined) {
      column = this.keys.length;
      if (column === MAX_COLUMNS) throw new TaskProblem('unreadable', `The file has more than ${MAX_COLUMNS} columns`);
      this.columns.set(key, column);
      this.keys.push(key);
    }
    if (end - start > MAX_CELL_BYTES) {
      throw new TaskProblem('unreadable', `A value has more than ${MAX_CELL_BYTES / 1024 ** 2} MiB`);
    }
    switch (bytes[start]) {
      case OBJECT:
      case LIST:
        this.nested.add(column);
        break;
      case QUOTE: {
        const text = textOf(bytes.subarray(start, end));
        if (ISO_8601.test(text.toString('latin1'))) this.profiles.observeDate(column, text);
        else this.profiles.observeText(column);
        break;
      }
      case 0x74:
      case 0x66:
        this.profiles.observeBoolean(column);
        break;
      case 0x6e:
        break;
      default:
        this.observeNumber(column, bytes.toString('latin1', start, end));
    }
  }

  readings(names: string[]): Reading[] {
    const { readings } = this.profiles.readingsOf(names, '.');
    return readings.map((reading, column) => (this.nested.has(column) ? { type: 'json' } : reading));
  }

  private observeNumber(column: number, text: string): void {
    if (!isExactNumber(text) || !Number.isFinite(Number(text))) this.profiles.observeText(column);
    else this.profiles.observeNumber(column, /^-?[0-9]+$/.test(text));
  }
}

/** Finds the objects in a file. */
class JsonRows {
  skipped = 0;
  private row = 0;
  private state: 'start' | 'first' | 'value' | 'separator' | 'end' = 'start';
  private isList = false;
  private readonly keys = new KeyCache();

  constructor(
    private readonly ignoreErrors: boolean,
    private readonly onRow: (bytes: Buffer, start: number, end: number, row: number) => void,
  ) {}

  async read(file: TextFile, signal?: AbortSignal): Promise<void> {
    await readRows(file, (...place) => this.next(...place), signal);
    if (this.state === 'start') throw new TaskProblem('unreadable', 'The file is empty');
    if (this.isList && this.state !== 'end') throw new TaskProblem('unreadable', 'The list in the file is not closed');
  }

  private next(bytes: Buffer, start: number, end: number, isLast: boolean): number {
    const at = skipBlanks(bytes, start, end);
    if (at === end) return end;
    const byte = bytes[at]!;
    switch (this.state) {
      case 'start':
        this.isList = byte === LIST;
        this.state = this.isList ? 'first' : 'value';
        return this.isList ? at + 1 : at;
      case 'separator':
        if (byte === COMMA || byte === LIST_END) {
          this.state = byte === COMMA ? 'value' : 'end';
          return at + 1;
        }
        throw this.problem('is not followed by a comma');
      case 'end':
        throw new TaskProblem('unreadable', 'There is text after the list in the file');
      case 'first':
        if (byte === LIST_END) {
          this.state = 'end';
          return at + 1;
        }
        return this.value(bytes, at, end, isLast);
      case 'value':
        return this.value(bytes, at, end, isLast);
    }
  }

  private value(bytes: Buffer, at: number, end: number, isLast: boolean): number {
    const isObject = bytes[at] === OBJECT;
    const next = isObject || this.isList ? this.endOfValue(bytes, at, end, isLast) : -2;
    if (next === -1) return -1;
    this.row += 1;
    const problem = !isObject
      ? 'is not an object'
      : next > 0
        ? objectProblem(bytes.subarray(at, next), this.keys)
        : 'is not valid JSON';
    if (problem === undefined) {
      this.onRow(bytes, at, next, this.row);
    } else {
      if (!this.ignoreErrors) throw this.problem(problem);
      this.skipped += 1;
      if (!this.isList) {
        // First, try to read one object per line.
        const newline = bytes.indexOf(LF, at);
        const isThere = newline >= 0 && newline < end;
        if (!isThere && !isLast) {
          this.row -= 1;
          this.skipped -= 1;
          return -1;
        }
        return isThere ? newline + 1 : end;
      }
      if (next < 0) throw this.problem('is not closed');
    }
    if (this.isList) this.state = 'separator';
    return next;
  }

  /** Returns the end position of a value, -1 if more bytes are needed, or -2 if the value never ends. */
  private endOfValue(bytes: Buffer, at: number, end: number, isLast: boolean): number {
    const next = endOfValue(bytes, at, end);
    if (next === TOO_DEEP) {
      this.row += 1;
      throw this.problem(`has more than ${MAX_DEPTH} nested lists or objects`);
    }
    return next >= 0 ? next : isLast ? -2 : -1;
  }

  private problem(reason: string): TaskProblem {
    return new TaskProblem('unreadable', `Row ${this.row}: the value ${reason}`, { row: this.row });
  }
}
