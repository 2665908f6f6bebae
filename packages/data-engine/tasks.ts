/*
 * What the processes of the data engine can be asked, and what they answer. Both travel between processes as plain values.
 * Tasks name local files by absolute path; no path, name of a setting or stack ever becomes part of an answer or a problem.
 */

/** Kinds of files that hold a table. */
export const TABLE_FORMATS = ['csv', 'tsv', 'json', 'parquet', 'xlsx'] as const;
export type TableFormat = (typeof TABLE_FORMATS)[number];

/** Types of columns, as clients are told. `json` is of values that are lists or objects. */
export const COLUMN_TYPES = ['integer', 'number', 'boolean', 'date', 'time', 'timestamp', 'text', 'json'] as const;
export type ColumnType = (typeof COLUMN_TYPES)[number];

/** A column of a converted table; both counts are exact and of the whole table, and a null is no value. */
export interface TableColumn {
  name: string;
  type: ColumnType;
  nulls: number;
  distinct: number;
}

/** Order of day and month in dates that give the month as a number. */
export const DATE_ORDERS = ['day_first', 'month_first'] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

/** Whether rows that are or may be totals, between the rows of a table, are part of it. */
export const SUBTOTAL_CHOICES = ['keep', 'drop'] as const;
export type SubtotalChoice = (typeof SUBTOTAL_CHOICES)[number];

/** Fields of a dialect that several readings of a file can fit. */
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

/** How the table of a text file or a sheet was read. Row numbers are those of the file. */
export interface Dialect {
  /** Null for workbooks, like `quote` and `encoding`. */
  delimiter: string | null;
  quote: string | null;
  /** As the Encoding Standard names it, or a code page: such as `utf-8`, `utf-16le` or `windows-1252`. */
  encoding: string | null;
  /** Encodings that the bytes fit, too, and that give other letters. */
  other_encodings: string[];
  /** Whether a row holds the names of the columns. */
  header: boolean;
  header_row: number | null;
  /** First and last row of the data; null if there is no data. */
  first_row: number | null;
  last_row: number | null;
  /** Last row above those that may be no data; null unless `uncertain` lists `last_row`. */
  other_last_row: number | null;
  /** Null if columns differ. */
  decimal: '.' | ',' | null;
  /** Empty: none. Null if columns differ. */
  thousands: string | null;
  /** Null if no column has dates with a month in digits, or if columns differ. */
  date_order: DateOrder | null;
  /** Null if no row between others is called a total. */
  subtotals: SubtotalChoice | null;
  uncertain: UncertainField[];
}

/** Parts of a dialect that the caller knows; the rest is recognised. */
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

/** Rows of the file, or columns beside the table, that are not part of the table. */
export interface LeftOut {
  place: (typeof LEFT_OUT_PLACES)[number];
  kind: (typeof LEFT_OUT_KINDS)[number];
  /** Row numbers; for `beside` column numbers, from 1. */
  first: number;
  last: number;
  /** First characters of the content. */
  text: string;
}

/** What a converted table is; kept beside its Parquet file. */
export interface TableDescription {
  columns: TableColumn[];
  rows: number;
  dialect: Dialect | null;
  leftOut: LeftOut[];
  /** Names of all sheets of a workbook, in its order; null of other formats. */
  sheets: string[] | null;
  /** Rows that `ignoreErrors` has left out. */
  skipped: number;
  /**
   * What number rows have in the file: from the row at `index` (from 0) on they count from `row`, until the next entry. One entry
   * unless rows were left out.
   */
  rowNumbers: { index: number; row: number }[];
}

/** Makes a Parquet file of a table, whose columns have the names and types that are answered. */
export interface ConvertTask {
  kind: 'convert';
  from: string;
  format: TableFormat;
  /** Absent: the first sheet. */
  sheet?: string;
  ignoreErrors: boolean;
  dialect?: DialectOptions;
  /** Where the Parquet file comes to be, whole or not at all. */
  to: string;
}

export const FILTER_OPERATORS = ['=', '<>', '<', '<=', '>', '>=', 'in', 'contains', 'empty'] as const;
export const AGGREGATE_FUNCTIONS = ['count', 'sum', 'min', 'max', 'avg', 'count_distinct'] as const;

/** Nulls satisfy `empty` alone. */
export interface Filter {
  column: string;
  op: (typeof FILTER_OPERATORS)[number];
  /** A scalar; a list for `in`; nothing for `empty`. */
  value?: unknown;
}

export interface Aggregate {
  function: (typeof AGGREGATE_FUNCTIONS)[number];
  /** Absent for `count`: rows. */
  column?: string;
  /** Name in the answer. */
  as?: string;
}

/** What {@link ReadTask} asks of one table; statements are built of it, and no text of it becomes SQL. */
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
  /** Parquet file of a conversion. */
  table: string;
  query: StructuredQuery;
}

/** A value in a row: integers beyond what JSON numbers hold exactly are texts, dates and times ISO 8601. */
export type Cell = string | number | boolean | null | Cell[] | { [name: string]: Cell };

export interface ReadAnswer {
  columns: { name: string; type: ColumnType }[];
  /** JSON of a list of lists of {@link Cell}s: the service hands it on as it is. */
  rows: string;
  /** Rows that there are before `limit` and `offset`. */
  total: number;
}

/** Runs one SELECT of a user over tables, on a database that can reach nothing else. */
export interface QueryTask {
  kind: 'query';
  /** Parquet files by the names of the tables. */
  tables: Record<string, string>;
  sql: string;
  /** Most rows of the answer. */
  limit: number;
  /** Most bytes of JSON of the answer's rows, up to 8 MiB, which is the default. */
  maxBytes?: number;
  /** Where the whole result goes, beside the answer. */
  save?: { to: string; format: 'csv' | 'parquet' };
}

export interface QueryAnswer {
  columns: { name: string; type: ColumnType }[];
  /** JSON of a list of lists of {@link Cell}s. */
  rows: string;
  /** Whether there are more rows than were answered. */
  truncated: boolean;
}

/**
 * Looks whether columns of a table tell its rows apart; texts count without the spaces around them. Beside that it looks for texts
 * in columns that are figures otherwise.
 */
export interface KeysTask {
  kind: 'keys';
  /** Parquet file of a conversion. */
  table: string;
  /** Names of its columns. */
  columns: string[];
}

/** Rows by their places in the table, from 0. */
export interface KeysAnswer {
  /** The first row whose key an earlier one has, too, and that one. */
  doubled: { key: string[]; rows: [number, number] } | null;
  /** The first row without a value in one of the columns. */
  empty: { row: number; column: string } | null;
  /** The first text in each column of texts, more than half of which are figures. */
  misfits: { column: string; row: number; text: string }[];
}

/** Writes whole columns of a table into a file, for whoever can take all of them at once. */
export interface ColumnsTask {
  kind: 'columns';
  /** Parquet file of a conversion. */
  table: string;
  /** Names of its columns. */
  columns: string[];
  /** Where a list of {@link ColumnCells} in their order comes to be, as V8 serialises it, whole or not at all. */
  to: string;
}

/**
 * A column, cell by cell: figures, with NaN where there is none; or texts, each with its place in the list of those that there
 * are, -1 where there is none. Texts are without the spaces around them; dates, times and booleans are texts.
 */
export type ColumnCells =
  { type: 'number'; figures: Float64Array } | { type: 'text'; texts: string[]; places: Int32Array };

export interface ColumnsAnswer {
  /** Of the file. */
  bytes: number;
}

/** Text of a document, part by part: pages of a PDF, sheets of a workbook, all of a DOCX. */
export interface TextTask {
  kind: 'text';
  from: string;
  format: 'pdf' | 'docx' | 'xlsx';
  /** First and last page of a PDF, from 1. Absent: all. */
  pages?: { first: number; last: number };
  /** Sheet of a workbook. Absent: all. */
  sheet?: string;
  /** Most bytes of UTF-8 that are answered. */
  maxBytes: number;
}

export interface TextAnswer {
  text: string;
  /** Whether the text goes on beyond `maxBytes`. */
  truncated: boolean;
  /** Pages of a PDF; null of others. */
  pages: number | null;
  /** Names of the sheets of a workbook; null of others. */
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

/** Why a task cannot be done, other than by a fault of the engine. */
export const PROBLEM_CODES = [
  /** The file is not what its name says, broken, encrypted or beyond a limit. */
  'unreadable',
  'unknown_sheet',
  /** A wished dialect that does not fit the file; `loc` names its field. */
  'invalid_dialect',
  /** A row that has another number of cells; `row` and `column` say where. */
  'ragged_row',
  'unknown_column',
  /** A structured query that makes no sense: a sum of texts, a value of another type. */
  'invalid_query',
  /** SQL that is faulty or refused. */
  'invalid_sql',
  /** DuckDB failed on a statement: because of a bug in DuckDB or a damaged table. */
  'engine_failed',
  'query_timeout',
  'out_of_memory',
] as const;
export type ProblemCode = (typeof PROBLEM_CODES)[number];

/** Where a problem is, in the file (rows from 1, the header being one) or in the query. */
export interface ProblemPlace {
  row?: number;
  column?: string | number;
  /** Of a structured query, such as `['where', 0, 'column']`, or of a dialect, such as `['header_row']`. */
  loc?: (string | number)[];
}

/** A problem of the caller's making, with a sentence for a person. */
export class TaskProblem extends Error {
  constructor(
    readonly code: ProblemCode,
    sentence: string,
    readonly place: ProblemPlace = {},
  ) {
    super(sentence);
  }
}

/** A problem that may be gone the next time: time or memory were not enough. */
export class PassingProblem extends TaskProblem {}
