import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ConvertTask, type TableDescription, TaskProblem } from '../tasks.js';
import { withHeaders } from './column-names.js';
import { readDelimited } from './delimited.js';
import { readJson } from './json-rows.js';
import { readParquet } from './parquet-file.js';
import { readSheet } from './sheet-rows.js';
import { ParquetWriter, type TextTable } from './parquet-writer.js';

/**
 * Writes the Parquet file of a table in row order and returns the table's description. The file is created completely or not at
 * all. Temporary files are kept in a sibling directory (`to` plus `.part`), which is removed at the end.
 *
 * @throws TaskProblem
 * @throws the signal's reason
 */
export async function convert(task: ConvertTask, signal?: AbortSignal): Promise<TableDescription> {
  signal?.throwIfAborted();
  const scratch = `${task.to}.part`;
  // A killed process may have left files behind.
  await rm(scratch, { recursive: true, force: true });
  await mkdir(scratch);
  try {
    const draft = join(scratch, 'table.parquet');
    const description = await write(task, draft, scratch, signal);
    signal?.throwIfAborted();
    await flush(draft);
    await rename(draft, task.to);
    return description;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

async function write(task: ConvertTask, to: string, scratch: string, signal?: AbortSignal): Promise<TableDescription> {
  const isTyped = task.format === 'json' || task.format === 'parquet';
  if (isTyped && task.dialect !== undefined)
    throw new TaskProblem('invalid_dialect', 'Only CSV, TSV and XLSX files have a dialect. Leave the field out.');
  if (task.format === 'parquet') return writeParquet(task.from, to, scratch, signal);
  const table = await readTable(task, scratch, signal);
  const writer = await ParquetWriter.open(scratch, signal);
  try {
    const rows = await writer.writeText(table, to);
    if (rows !== table.rows) throw new Error(`${rows} rows were written of ${table.rows}`);
    const types = table.names.map((name, column) => ({
      name,
      type: table.readings[column]!.type,
      isEmpty: task.format !== 'json' && table.profiles.isEmpty(column + (table.firstColumn ?? 0)),
    }));
    const columns = withHeaders(await writer.describe(to, rows, types), table.rawNames);
    const { dialect = null, leftOut = [], sheets = null, skipped = 0, rowNumbers } = table;
    return { columns, rows, dialect, leftOut, sheets, skipped, rowNumbers };
  } finally {
    writer.close();
  }
}

type Read = TextTable & Partial<Pick<TableDescription, 'dialect' | 'leftOut' | 'sheets' | 'skipped'>>;

async function readTable(task: ConvertTask, scratch: string, signal?: AbortSignal): Promise<Read> {
  const { from, format, ignoreErrors } = task;
  if (format === 'json') return readJson(from, ignoreErrors, scratch, signal);
  if (format === 'xlsx') return readSheet(task, scratch, signal);
  return readDelimited(task, scratch, signal);
}

async function writeParquet(
  from: string,
  to: string,
  scratch: string,
  signal?: AbortSignal,
): Promise<TableDescription> {
  const writer = await ParquetWriter.open(scratch, signal);
  try {
    const { query, types, rawNames } = await readParquet(writer, from);
    const rows = await writer.copy(query, types.length, to);
    const columns = withHeaders(await writer.describe(to, rows, types), rawNames);
    return {
      columns,
      rows,
      dialect: null,
      leftOut: [],
      sheets: null,
      skipped: 0,
      rowNumbers: rows === 0 ? [] : [{ index: 0, row: 1 }],
    };
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof TaskProblem ? error : new TaskProblem('unreadable', parquetFault(error));
  } finally {
    writer.close();
  }
}

/** Returns a fixed message, because DuckDB's message may contain the file path. */
function parquetFault(error: unknown): string {
  const [, codec] = /Unsupported compression codec "(\w+)"/.exec(String(error)) ?? [];
  return codec === undefined
    ? 'The file is not a Parquet file, is broken, or uses an unsupported type or encoding'
    : `Parquet files compressed with ${codec} cannot be read. Save the file with Snappy or Zstandard`;
}
