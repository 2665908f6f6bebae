import { extname } from 'node:path/posix';
import type { TableDescription, TableFormat } from './tasks.js';

const FORMATS: Record<string, TableFormat> = {
  '.csv': 'csv',
  '.txt': 'csv',
  '.tsv': 'tsv',
  '.tab': 'tsv',
  '.json': 'json',
  '.ndjson': 'json',
  '.jsonl': 'json',
  '.parquet': 'parquet',
  '.xlsx': 'xlsx',
  '.xlsm': 'xlsx',
};

/** Returns the table format for a file name ending, or undefined if the file is not a table. */
export const tableFormat = (path: string): TableFormat | undefined => FORMATS[extname(path).toLowerCase()];

/** Required file name endings, worded for error messages. */
export const TABLE_ENDINGS = 'its name must end with .csv, .tsv, .json, .ndjson, .parquet or .xlsx';

/** Explains why a result cannot be saved at a path, in a phrase without a full stop. Returns undefined if the path is valid. */
export const savedPathProblem = (path: string): string | undefined =>
  /\.(?:csv|parquet)$/i.test(path) ? undefined : 'the path of a saved result must end with .csv or .parquet';

/** Returns the format of a saved result, based on the ending of its path. */
export const savedFormat = (path: string): 'csv' | 'parquet' =>
  path.toLowerCase().endsWith('.parquet') ? 'parquet' : 'csv';

/** Maximum length of a table name in a statement. */
const MAX_TABLE_NAME = 200;

/** Explains why a table name is invalid, in a phrase without a full stop. Returns undefined if the name is valid. */
export function tableNameProblem(name: string): string | undefined {
  const isFine = name.trim() !== '' && name.length <= MAX_TABLE_NAME && !/\p{Cc}/u.test(name);
  return isFine
    ? undefined
    : `the name of a table must have 1 to ${MAX_TABLE_NAME} characters and no control characters`;
}

/** Converts a zero-based row index in the table to a row number in the file. */
export function rowInFile({ rowNumbers }: Pick<TableDescription, 'rowNumbers'>, place: number): number {
  const run = rowNumbers.findLast(({ index }) => index <= place);
  return run === undefined ? place + 1 : run.row + place - run.index;
}
