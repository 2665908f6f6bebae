import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { identifier, literal, parquetRows } from '../sql-text.js';
import type { ColumnType, TableColumn } from '../tasks.js';
import type { ColumnProfiles } from './column-types.js';
import type { DateForm } from './date-forms.js';
import { NO_EXTENSIONS, ofMemory } from './duckdb-settings.js';
import type { Reading } from './readings.js';
import type { RowNumbers } from './row-numbers.js';

/** Delimited UTF-8 text that DuckDB reads without format detection. */
export interface TextSource {
  path: string;
  delimiter: string;
  /** Empty if the file has no quotes. */
  quote: string;
  header: boolean;
  /** Number of columns in the file. */
  columns: number;
  /** Whether rows may have fewer cells. Missing cells are null. */
  isRagged: boolean;
  /** Line break at the end of each row. DuckDB would detect it from the first line, which may end inside a quoted cell. */
  newLine: '\n' | '\r\n';
  /**
   * Content of a cell without a value. If it is the empty string, empty cells have no value, whether they are quoted or not.
   */
  nullToken: string;
  hasNewlines: boolean;
  /** Length in bytes. */
  longestRow: number;
}

/** Text table with the readings of its columns. */
export interface TextTable {
  source: TextSource;
  /** Zero-based index of the file column that is the first table column. Default: 0. */
  firstColumn?: number;
  names: string[];
  /** Column names as they are written in the file, before `columnNames` changes them. */
  rawNames: readonly string[];
  readings: Reading[];
  profiles: ColumnProfiles;
  rows: number;
  rowNumbers: RowNumbers[];
}

/**
 * Maximum number of cells, and minimum and maximum number of columns, whose statistics are computed in a single query. Counting
 * distinct values takes memory.
 */
const CELLS_AT_ONCE = 16_000_000;
const COLUMNS_AT_ONCE = { least: 4, most: 32 };
/**
 * Maximum number of cells in a row group. The whole group is in memory while it is written. A row group has at most DuckDB's
 * default number of rows.
 */
const CELLS_OF_GROUP = 4_000_000;
const ROWS_OF_GROUP = { least: 2_048, most: 122_880 };
const BLANKS = ' \t\u00a0\u2009\u202f';
/** Row length in bytes above which DuckDB's limit for quoted rows must be raised. */
const USUAL_ROW_BYTES = 1024 ** 2;

/** Database used for a conversion. It only runs the service's own statements. */
export class ParquetWriter {
  private constructor(
    private readonly instance: DuckDBInstance,
    private readonly connection: DuckDBConnection,
    private readonly signal?: AbortSignal,
  ) {}

  /** Opens the database. Data that does not fit into memory is written to `scratch`. */
  static async open(scratch: string, signal?: AbortSignal): Promise<ParquetWriter> {
    const instance = await DuckDBInstance.create(':memory:', {
      threads: '2',
      memory_limit: '512MiB',
      temp_directory: scratch,
      max_temp_directory_size: '4GiB',
      ...NO_EXTENSIONS,
    });
    const connection = await instance.connect();
    await connection.run("SET TimeZone = 'UTC'");
    return new ParquetWriter(instance, connection, signal);
  }

  close(): void {
    this.connection.closeSync();
    this.instance.closeSync();
  }

  /** Writes a text table in row order and returns the number of rows. */
  async writeText({ source, firstColumn = 0, names, readings, profiles }: TextTable, to: string): Promise<number> {
    const columns = readings.map(
      (reading, column) =>
        `${valueOf(reading, `c${firstColumn + column}`, profiles.isPadded(firstColumn + column))} AS ${identifier(names[column]!)}`,
    );
    const texts = Array.from({ length: source.columns }, (_, column) => `c${column}: 'VARCHAR'`);
    const options = [
      `columns = {${texts.join(', ')}}`,
      'auto_detect = false',
      'hive_partitioning = false',
      `delim = ${literal(source.delimiter)}`,
      `quote = ${literal(source.quote)}`,
      `escape = ${literal(source.quote)}`,
      `new_line = ${source.newLine === '\n' ? String.raw`'\n'` : String.raw`'\r\n'`}`,
      `header = ${source.header}`,
      `nullstr = ${literal(source.nullToken)}`,
      `allow_quoted_nulls = ${source.nullToken === ''}`,
      `null_padding = ${source.isRagged}`,
      `parallel = ${!source.hasNewlines}`,
      ...(source.longestRow > USUAL_ROW_BYTES ? [`max_line_size = ${2 * source.longestRow}`] : []),
    ];
    return this.copy(
      `FROM read_csv(${literal(source.path)}, ${options.join(', ')}) SELECT ${columns.join(', ')}`,
      columns.length,
      to,
    );
  }

  /** Writes the result of an SQL query to a Parquet file and returns the number of rows. */
  async copy(query: string, columns: number, to: string): Promise<number> {
    const { least, most } = ROWS_OF_GROUP;
    const group = Math.max(least, Math.min(most, Math.floor(CELLS_OF_GROUP / columns)));
    const result = await this.run(
      `COPY (${query}) TO ${literal(to)} (FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE ${group})`,
    );
    return Number(result.getRows()[0]![0]);
  }

  /** Counts the nulls and distinct values of the columns in a Parquet file. Skips columns that are known to be empty. */
  async describe(
    path: string,
    rows: number,
    types: { name: string; type: ColumnType; isEmpty?: boolean }[],
  ): Promise<TableColumn[]> {
    const columns = types.map(({ name, type }) => ({ name, type, nulls: rows, distinct: 0 }));
    const filled = columns.filter((_, index) => types[index]!.isEmpty !== true);
    const { least, most } = COLUMNS_AT_ONCE;
    const atOnce = Math.min(most, Math.max(least, Math.floor(CELLS_AT_ONCE / Math.max(rows, 1))));
    for (let from = 0; from < filled.length; from += atOnce) {
      const some = filled.slice(from, from + atOnce);
      const counts = some.flatMap(({ name, type }) => {
        const value = identifier(name) + (type === 'json' ? '::VARCHAR' : '');
        return [`count(*) - count(${value})`, `count(DISTINCT ${value})`];
      });
      const result = await this.run(`FROM ${parquetRows(path)} SELECT ${counts.join(', ')}`);
      const [row] = result.getRows();
      for (const [index, column] of some.entries()) {
        column.nulls = Number(row![2 * index]);
        column.distinct = Number(row![2 * index + 1]);
      }
    }
    return columns;
  }

  /**
   * @throws the signal's reason
   * @throws TaskProblem `out_of_memory`
   */
  async run(statement: string) {
    this.signal?.throwIfAborted();
    const interrupt = () => this.connection.interrupt();
    this.signal?.addEventListener('abort', interrupt);
    try {
      return await this.connection.runAndReadAll(statement);
    } catch (error) {
      this.signal?.throwIfAborted();
      throw ofMemory(error) ?? error;
    } finally {
      this.signal?.removeEventListener('abort', interrupt);
    }
  }
}

/** Returns SQL for the value of a text column. */
function valueOf(reading: Reading, column: string, isPadded: boolean): string {
  const text = isPadded && reading.type !== 'text' ? `nullif(trim(${column}, ${literal(BLANKS)}), '')` : column;
  switch (reading.type) {
    case 'text':
      return text;
    case 'json':
      return `${text}::JSON`;
    case 'boolean':
      return `${text}::BOOLEAN`;
    case 'integer':
    case 'number': {
      const number = plainNumber(reading, text);
      // A percentage is parsed with the exponent e-2, because 12.3 / 100 is not exactly 0.123 in floating point.
      if (reading.isPercent) return `(rtrim(${number}, ${literal(`%${BLANKS}`)}) || 'e-2')::DOUBLE`;
      return `${number}::${reading.type === 'integer' ? 'BIGINT' : 'DOUBLE'}`;
    }
    case 'date':
      return `${reading.form === '%Y-%m-%d' ? text : `strptime(${text}, ${literal(reading.form)})`}::DATE`;
    case 'timestamp':
      if (reading.hasZone) return `${text}::TIMESTAMPTZ AT TIME ZONE 'UTC'`;
      return reading.form === '%Y-%m-%d' && !reading.hasHalf
        ? `${text}::TIMESTAMP`
        : `strptime(${text}, [${formsWithTime(reading.form).map(literal).join(', ')}])`;
    case 'time':
      return reading.hasHalf ? `strptime(${text}, [${TIMES.map(literal).join(', ')}])::TIME` : `${text}::TIME`;
  }
}

/** Returns SQL that removes thousands separators and replaces the decimal separator with a point. */
function plainNumber({ decimal, thousands }: { decimal: string; thousands: string }, text: string): string {
  if (thousands === '') return decimal === '.' ? text : `replace(${text}, ',', '.')`;
  const groups = thousands === ' ' ? BLANKS : thousands === "'" ? "'\u2019" : thousands;
  return decimal === '.'
    ? `translate(${text}, ${literal(groups)}, '')`
    : `translate(${text}, ${literal(`,${groups}`)}, '.')`;
}

const TIMES = ['%H:%M:%S', '%H:%M', '%H:%M:%S.%f', '%I:%M %p', '%I:%M:%S %p', '%I:%M:%S.%f %p'].flatMap((time) =>
  time.includes('%p') ? [time, time.replace(' %p', '%p')] : [time],
);

const formsWithTime = (form: DateForm): string[] => [form, ...TIMES.map((time) => `${form} ${time}`)];
