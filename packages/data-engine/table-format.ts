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

/** Kind of table that a file is, by the ending of its name; undefined for files that are none. */
export const tableFormat = (path: string): TableFormat | undefined => FORMATS[extname(path).toLowerCase()];

/** The endings, for a person. */
export const TABLE_ENDINGS = 'its name has to end with .csv, .tsv, .json, .ndjson, .parquet or .xlsx';

/** Why a result cannot be saved at a path, in words without a full stop. */
export const savedPathProblem = (path: string): string | undefined =>
  /\.(?:csv|parquet)$/i.test(path) ? undefined : 'the path of a saved result ends with .csv or .parquet';

/** Format of a saved result, by the path that it is saved at. */
export const savedFormat = (path: string): 'csv' | 'parquet' =>
  path.toLowerCase().endsWith('.parquet') ? 'parquet' : 'csv';

/** Longest name of a table in a statement. */
const MAX_TABLE_NAME = 200;

/** Why a text can be no name of a table in a statement, in words without a full stop. */
export function tableNameProblem(name: string): string | undefined {
  const isFine = name.trim() !== '' && name.length <= MAX_TABLE_NAME && !/\p{Cc}/u.test(name);
  return isFine
    ? undefined
    : `the name of a table has 1 to ${MAX_TABLE_NAME} characters, none of them a control character`;
}

/** The number that a row has in its file, from its place in the table, from 0. */
export function rowInFile({ rowNumbers }: Pick<TableDescription, 'rowNumbers'>, place: number): number {
  const run = rowNumbers.findLast(({ index }) => index <= place);
  return run === undefined ? place + 1 : run.row + place - run.index;
}
