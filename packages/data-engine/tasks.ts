/*
 * Tasks and results of the data engine processes. Both are sent between processes as plain values. Tasks refer to local files
 * by absolute path. Results and problems never contain paths, setting names or stack traces.
 */

/** File formats that hold a table. */
export const TABLE_FORMATS = ['csv', 'tsv', 'json', 'parquet', 'xlsx'] as const;
export type TableFormat = (typeof TABLE_FORMATS)[number];

/** Column types that clients see. `json` is for lists and objects. */
export const COLUMN_TYPES = ['integer', 'number', 'boolean', 'date', 'time', 'timestamp', 'text', 'json'] as const;
export type ColumnType = (typeof COLUMN_TYPES)[number];

/** Column of a converted table. Both counts are exact and cover the whole table. Nulls do not count as distinct values. */
export interface TableColumn {
  name: string;
  /** Header in the file, if it differs from the name: the header is empty, or another column has it too. */
  header?: string;
  type: ColumnType;
  nulls: number;
  distinct: number;
}

/** Orders of day and month in dates with numeric months. */
export const DATE_ORDERS = ['day_first', 'month_first'] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

/** Whether totals and possible totals between the rows of a table are kept as data or left out. */
export const SUBTOTAL_CHOICES = ['keep', 'drop'] as const;
export type SubtotalChoice = (typeof SUBTOTAL_CHOICES)[number];

/** Dialect fields that may be ambiguous in a file. */
export const UNCERTAIN_FIELDS = [
  'delimiter',
  'encoding',
  'header',
  'decimal',
  'date_order',
  'last_row',
  'subtotals',
] as const;
export type UncertainField = (typeof UNCERTAIN_FIELDS)[number];

/** Describes how a text file or a sheet was read as a table. Row numbers refer to the file. */
export interface Dialect {
  /** Null for workbooks, like `quote` and `encoding`. */
  delimiter: string | null;
  quote: string | null;
  /** Name in the Encoding Standard, such as `utf-8`, `utf-16le` or `windows-1252`, or a code page. */
  encoding: string | null;
  /** Other encodings that fit the bytes but give different letters. */
  other_encodings: string[];
  /** Whether a row contains the column names. */
  header: boolean;
  header_row: number | null;
  /** First and last data row, or null if the table is empty. */
  first_row: number | null;
  last_row: number | null;
  /** Last data row if the uncertain rows at the end are not data. Null unless `uncertain` contains `last_row`. */
  other_last_row: number | null;
  /** Null if columns differ. */
  decimal: '.' | ',' | null;
  /** Empty if there is no separator. Null if columns differ. */
  thousands: string | null;
  /** Null if no column has dates with a numeric month, or if columns differ. */
  date_order: DateOrder | null;
  /** Null if no row between other rows is labelled as a total. */
  subtotals: SubtotalChoice | null;
  uncertain: UncertainField[];
}

/** Dialect fields that the caller specifies. Absent fields are detected. */
export interface DialectOptions {
  delimiter?: string;
  quote?: string;
  encoding?: string;
  decimal?: '.' | ',';
  thousands?: string;
  date_order?: DateOrder;
  header?: boolean;
  header_row?: number;
  first_row?: number;
  last_row?: number;
  subtotals?: SubtotalChoice;
}

export const LEFT_OUT_PLACES = ['above', 'inside', 'below', 'beside'] as const;
export const LEFT_OUT_KINDS = ['title', 'comment', 'total', 'note', 'table'] as const;

/** Rows in the file, or columns beside the table, that are not part of the table. */
export interface LeftOut {
  place: (typeof LEFT_OUT_PLACES)[number];
  kind: (typeof LEFT_OUT_KINDS)[number];
  /** First and last one-based row number, or column number for `beside`. */
  first: number;
  last: number;
  /** First characters of the content. */
  text: string;
}

/** Description of a converted table, stored beside its Parquet file. */
export interface TableDescription {
  columns: TableColumn[];
  rows: number;
  dialect: Dialect | null;
  leftOut: LeftOut[];
  /** Names of all sheets in workbook order, or null for other formats. */
  sheets: string[] | null;
  /** Number of rows that `ignoreErrors` left out. */
  skipped: number;
  /**
   * Row numbers in the file. Each entry starts at a zero-based `index` in the table. Up to the next entry, rows are numbered
   * consecutively, starting at `row`. There is only one entry unless rows were left out.
   */
  rowNumbers: { index: number; row: number }[];
}

/** Converts a table to a Parquet file. The result describes its column names and types. */
export interface ConvertTask {
  kind: 'convert';
  from: string;
  format: TableFormat;
  /** Default: the first sheet. */
  sheet?: string;
  ignoreErrors: boolean;
  dialect?: DialectOptions;
  /** Path of the Parquet file, which is created completely or not at all. */
  to: string;
}

export const FILTER_OPERATORS = ['=', '<>', '<', '<=', '>', '>=', 'in', 'contains', 'empty'] as const;
export const AGGREGATE_FUNCTIONS = ['count', 'sum', 'min', 'max', 'avg', 'count_distinct'] as const;

/** Filter condition. Nulls only satisfy `empty`. */
export interface Filter {
  column: string;
  op: (typeof FILTER_OPERATORS)[number];
  /** Single value, or a list for `in`. Absent for `empty`. */
  value?: unknown;
}

export interface Aggregate {
  function: (typeof AGGREGATE_FUNCTIONS)[number];
  /** Absent for a `count` of rows. */
  column?: string;
  /** Column name in the result. */
  as?: string;
}

/**
 * Structured query on a table, used by a {@link ReadTask}. It is compiled to SQL, but strings from the query never become part
 * of the SQL.
 */
export interface StructuredQuery {
  columns?: string[];
  where?: Filter[];
  group_by?: string[];
  aggregates?: Aggregate[];
  order_by?: { column: string; descending?: boolean }[];
  limit: number;
  offset: number;
}

export interface ReadTask {
  kind: 'read';
  /** Path of a Parquet file that a {@link ConvertTask} wrote. */
  table: string;
  query: StructuredQuery;
}

/** Value in a row. Integers that JSON numbers do not hold exactly are strings. Dates and times are ISO 8601. */
export type Cell = string | number | boolean | null | Cell[] | { [name: string]: Cell };

export interface ReadAnswer {
  columns: { name: string; type: ColumnType }[];
  /** JSON list of lists of {@link Cell}s. The service forwards it unchanged. */
  rows: string;
  /** Number of rows before `limit` and `offset` apply. */
  total: number;
}

/** Runs a user's SELECT over tables, in a database that cannot access anything else. */
export interface QueryTask {
  kind: 'query';
  /** Paths of Parquet files by table name. */
  tables: Record<string, string>;
  sql: string;
  /** Maximum number of rows in the result. */
  limit: number;
  /** Maximum size of the result's rows in JSON bytes. The default and upper limit is 8 MiB. */
  maxBytes?: number;
  /** File to which the whole result is written, in addition to the returned rows. */
  save?: { to: string; format: 'csv' | 'parquet' };
}

export interface QueryAnswer {
  columns: { name: string; type: ColumnType }[];
  /** JSON list of lists of {@link Cell}s. */
  rows: string;
  /** Whether the query has more rows than the result. */
  truncated: boolean;
}

/**
 * Checks whether columns identify the rows of a table. Text is compared without surrounding spaces. Also finds text cells in
 * columns that otherwise contain numbers.
 */
export interface KeysTask {
  kind: 'keys';
  /** Path of a Parquet file that a {@link ConvertTask} wrote. */
  table: string;
  /** Names of the key columns. */
  columns: string[];
}

/** Result of a {@link KeysTask}. Rows are zero-based indexes in the table. */
export interface KeysAnswer {
  /** First repeated key. `rows` contains the first row with the key and the row that repeats it. */
  doubled: { key: string[]; rows: [number, number] } | null;
  /** First rows with an empty key column, and the number of such rows. */
  empty: { rows: number[]; count: number; column: string } | null;
  /** First text cell of each text column in which more than 50 % of the values look like numbers. */
  misfits: { column: string; row: number; text: string }[];
}

/** Writes whole columns of a table to a file. The programs that read it hold all cells in memory. */
export interface ColumnsTask {
  kind: 'columns';
  /** Path of a Parquet file that a {@link ConvertTask} wrote. */
  table: string;
  /** Names of the columns to write. */
  columns: string[];
  /** Path of a V8-serialized list of {@link ColumnCells} in column order, created completely or not at all. */
  to: string;
}

/**
 * Cells of a column. A missing number is NaN. A string is stored as an index into the list of distinct strings, or as -1 if it
 * is missing. Strings are trimmed. Dates, times and booleans are stored as strings.
 */
export type ColumnCells =
  { type: 'number'; figures: Float64Array } | { type: 'text'; texts: string[]; places: Int32Array };

export interface ColumnsAnswer {
  /** Size of the file. */
  bytes: number;
}

/** Extracts the text of a document: pages of a PDF, sheets of a workbook, or a whole DOCX. */
export interface TextTask {
  kind: 'text';
  from: string;
  format: 'pdf' | 'docx' | 'xlsx';
  /** First and last page of a PDF, starting at 1. Default: all pages. */
  pages?: { first: number; last: number };
  /** Sheet in a workbook. Default: all sheets. */
  sheet?: string;
  /** Maximum size of the text in UTF-8 bytes. */
  maxBytes: number;
}

export interface TextAnswer {
  text: string;
  /** Whether the text was longer than `maxBytes`. */
  truncated: boolean;
  /** Number of pages in a PDF, or null for other formats. */
  pages: number | null;
  /** Names of the sheets in a workbook, or null for other formats. */
  sheets: string[] | null;
}

export type Task = ConvertTask | ReadTask | QueryTask | KeysTask | ColumnsTask | TextTask;

export interface Answers {
  convert: TableDescription;
  read: ReadAnswer;
  query: QueryAnswer;
  keys: KeysAnswer;
  columns: ColumnsAnswer;
  text: TextAnswer;
}

/** Reasons why a task can fail without a fault in the engine. */
export const PROBLEM_CODES = [
  /** The file does not have the format that its name suggests, is broken or encrypted, or exceeds a limit. */
  'unreadable',
  'unknown_sheet',
  /** The requested dialect does not fit the file. `loc` identifies the field. */
  'invalid_dialect',
  /** A row has a different number of cells. `row` and `column` give the location. */
  'ragged_row',
  'unknown_column',
  /** The structured query is invalid. For example, it sums text, or a value has the wrong type. */
  'invalid_query',
  /** The SQL is invalid or not allowed. */
  'invalid_sql',
  /** DuckDB failed to run a statement because of a bug or a damaged table. */
  'engine_failed',
  'query_timeout',
  'out_of_memory',
] as const;
export type ProblemCode = (typeof PROBLEM_CODES)[number];

/** Location of a problem in the file (row 1 is the header) or in the query. */
export interface ProblemPlace {
  row?: number;
  column?: string | number;
  /** Path in a structured query, such as `['where', 0, 'column']`, or in a dialect, such as `['header_row']`. */
  loc?: (string | number)[];
}

/** Problem that the caller can fix. Its message is intended for users. */
export class TaskProblem extends Error {
  constructor(
    readonly code: ProblemCode,
    sentence: string,
    readonly place: ProblemPlace = {},
  ) {
    super(sentence);
  }
}

/** Temporary problem: there was not enough time or memory. */
export class TransientProblem extends TaskProblem {}
