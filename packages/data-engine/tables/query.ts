import { rename, rm, stat } from 'node:fs/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { isDiskFull } from '../disk-full.js';
import { Interrupted } from '../interruption.js';
import { partialPath } from '../messages.js';
import { identifier, literal, parquetRows } from '../sql-text.js';
import { type QueryAnswer, type QueryTask, TaskProblem } from '../tasks.js';
import { columnType, readRows } from './cells.js';
import { withDatabase } from './duckdb.js';
import { ofMemory } from './duckdb-settings.js';
import { checkSelect } from './select-check.js';

/** Maximum file size of a saved result, in bytes. */
const MAX_SAVED_BYTES = 1024 ** 3;
const WATCH_MS = 20;
/** Maximum length of a DuckDB error message in a response. */
const MAX_SENTENCE = 2_000;

/** Formats of saved results. In CSV, cells with commas, quotes or line breaks are quoted as RFC 4180 requires. */
const FORMATS = { csv: "FORMAT csv, HEADER, DELIMITER ','", parquet: 'FORMAT parquet' };

/** Runs a user's SELECT statement. */
export async function runQuery(task: QueryTask): Promise<QueryAnswer> {
  const { tables, sql, save } = task;
  const part = save === undefined ? undefined : partialPath(save.to);
  const files = [...Object.values(tables), ...(part === undefined ? [] : [part])];
  return await withDatabase(files, async (connection) => {
    try {
      for (const [table, file] of Object.entries(tables))
        await connection.run(`CREATE VIEW ${identifier(table)} AS SELECT * FROM ${parquetRows(file)}`);
      await checkSelect(connection, sql, Object.keys(tables));
      if (save === undefined) return await answer(connection, sql, task);
      // The result is stored before it is written, because a second run of the query may return different rows.
      await connection.run(`CREATE TEMP TABLE ${identifier(RESULT)} AS FROM query(${literal(sql)})`);
      await write(connection, partialPath(save.to), save);
      return await answer(connection, `FROM temp.${identifier(RESULT)}`, task);
    } catch (error) {
      throw problemOf(error, tables, part);
    }
  });
}

/** Name that cannot collide with a table, because table names cannot contain this character. */
const RESULT = 'result\u0001';

async function answer(connection: DuckDBConnection, sql: string, { limit, maxBytes }: QueryTask): Promise<QueryAnswer> {
  const { columns, rows, cut } = await readRows(await connection.stream(sql), limit, maxBytes);
  if (cut === 'bytes' && rows === '[]')
    throw new TaskProblem(
      'invalid_sql',
      'The first row is too large for a response: select fewer columns or shorter values',
    );
  return { columns, rows, truncated: cut !== null };
}

/** Writes the whole result. The file does not exist under its final name until it is complete. */
async function write(
  connection: DuckDBConnection,
  part: string,
  { to, format }: NonNullable<QueryTask['save']>,
): Promise<void> {
  const size = { isTooLarge: false };
  const watch = setInterval(() => {
    void stat(part).then(
      (file) => {
        size.isTooLarge ||= file.size > MAX_SAVED_BYTES;
        if (size.isTooLarge) connection.interrupt();
      },
      () => undefined,
    );
  }, WATCH_MS);
  try {
    const { source, options } = await written(connection, format);
    await connection.run(`COPY (${source}) TO ${literal(part)} (${options}, USE_TMP_FILE false)`);
    await rename(part, to);
  } catch (error) {
    await rm(part, { force: true });
    if (!size.isTooLarge) throw error;
    throw new TaskProblem('invalid_sql', `The result is larger than ${MAX_SAVED_BYTES / 1024 ** 3} GiB as a file`);
  } finally {
    clearInterval(watch);
  }
}

/** Returns the format options, and SQL that converts the result to values that the file format holds without loss. */
async function written(
  connection: DuckDBConnection,
  format: keyof typeof FORMATS,
): Promise<{ source: string; options: string }> {
  const source = `FROM temp.${identifier(RESULT)}`;
  const options = FORMATS[format];
  const statement = await connection.prepare(source);
  if (format === 'parquet') {
    const casts = await castsOfHugeIntegers(connection, source);
    return { source: casts === '' ? source : `${source} SELECT * REPLACE (${casts})`, options };
  }
  if (statement.columnCount !== 1) return { source, options };
  // In a single-column CSV file, a null or a blank cell would be written as a blank line, which CSV readers skip.
  const column = identifier(statement.columnName(0));
  const isText = columnType(statement.columnType(0)) === 'text';
  return {
    source: `${source} SELECT coalesce(${column}::VARCHAR, '') AS ${column}`,
    options: isText ? `${options}, FORCE_QUOTE *` : options,
  };
}

/** 128-bit integers in a type name. The first two alternatives skip field names and enum values. */
const HUGE_INTEGER = /"(?:[^"]|"")*"|'(?:[^']|'')*'|\bU?HUGEINT(?=[[\],)]|$)/g;
/** Parquet types for 128-bit integers. The first type that can hold all values is used. */
const HUGE_INTEGER_TYPES = ['BIGINT', 'DECIMAL(38, 0)', 'VARCHAR'];

/**
 * Returns casts for columns with 128-bit integers, such as sums of integers. Without them, DuckDB would write rounded doubles
 * to Parquet.
 */
async function castsOfHugeIntegers(connection: DuckDBConnection, source: string): Promise<string> {
  const casts: string[] = [];
  for (const [name, type] of (await connection.runAndReadAll(`DESCRIBE ${source}`)).getRows() as [string, string][]) {
    const column = identifier(name);
    for (const one of HUGE_INTEGER_TYPES) {
      const other = type.replace(HUGE_INTEGER, (part) => (/^["']/.test(part) ? part : one));
      if (other === type) break;
      const back = `TRY_CAST(TRY_CAST(${column} AS ${other}) AS ${type})`;
      const lossy = await connection.runAndReadAll(
        `${source} SELECT 1 WHERE ${back} IS DISTINCT FROM ${column} LIMIT 1`,
      );
      if (lossy.currentRowCount > 0) continue;
      casts.push(`${column}::${other} AS ${column}`);
      break;
    }
  }
  return casts.join(', ');
}

/** Types of DuckDB errors that are caused by the statement. Other errors are caused by bugs or damaged files. */
const ABOUT_STATEMENT = new RegExp(
  `^(?:${[
    'Binder|Catalog|Constraint|Conversion|Decimal|Dependency|Divide by Zero|Expression|Invalid Configuration|Invalid Input',
    'Invalid type|Mismatch Type|Missing Extension|Not implemented|Object Size|Out of Range|Parameter Not Allowed',
    'Parameter Not Resolved|Parser|Permission|Settings|Syntax',
  ].join('|')}) Error`,
);

/** Converts a DuckDB error to a problem whose message contains no excerpts from the statement and no file names. */
function problemOf(error: unknown, tables: Record<string, string>, part: string | undefined): unknown {
  if (!(error instanceof Error) || error instanceof TaskProblem || error instanceof Interrupted) return error;
  // The start of the error message identifies its type. The rest may contain values that the statement computed.
  const message = error.message.slice(0, MAX_SENTENCE);
  if (ofMemory(error) !== undefined || message.startsWith('INTERRUPT Error')) return error;
  if (message.startsWith('IO Error') && isDiskFull(error)) return error;
  const line = /\n *LINE (\d{1,9}):/.exec(message);
  const statement = line === null ? message : message.slice(0, line.index);
  const isOfFile = Object.values(tables).some((file) => statement.includes(file));
  if (isOfFile || !ABOUT_STATEMENT.test(message))
    return new TaskProblem('engine_failed', 'DuckDB cannot run this statement: simplify it or use other functions');
  const lines = statement.trim().split('\n');
  const sentence = lines.map((one) => one.trim()).join(' ');
  const place = line !== null && line[1] !== '1' ? ` (line ${line[1]})` : '';
  return new TaskProblem('invalid_sql', withoutFiles(sentence, tables, part) + place);
}

function withoutFiles(sentence: string, tables: Record<string, string>, part: string | undefined): string {
  let cleaned = part === undefined ? sentence : sentence.replaceAll(part, 'result');
  for (const [table, file] of Object.entries(tables)) cleaned = cleaned.replaceAll(file, table);
  return cleaned;
}
