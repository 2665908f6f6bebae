import { extname } from 'node:path/posix';
import type { TableFormat } from '../data-engine/tasks.js';

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

/** Format of a saved result, by the path that it is saved at. */
export const savedFormat = (path: string): 'csv' | 'parquet' =>
  path.toLowerCase().endsWith('.parquet') ? 'parquet' : 'csv';
