import { dialectOf, type DialectOptions, tableFormat } from '../data-engine/index.js';
import { type Cells, type DateReading, isName, withoutPowers } from '../modelling/index.js';

/** Table in a workspace file, as described by a data card. */
export interface DataFile {
  path: string;
  /** Name of the sheet. Defaults to the first sheet of a workbook. */
  sheet?: string;
  /** Dialect of the file. Missing options are detected automatically. */
  dialect?: DialectOptions;
  /** Columns whose cells together identify a member. */
  key: readonly string[];
  /** Whether the members are the distinct values of the key, which may repeat. */
  isDistinct: boolean;
  /** Second key, for a card that has both `key` and `column`. The members of such a card are ambiguous. */
  otherKey?: readonly string[];
  /** Table columns by the formula names that the card assigns to them. The formula names of other columns are derived. */
  names: Readonly<Record<string, string>>;
  /** For a wide table, the name of the set that the headers of the other columns form. */
  columnsAs?: string;
  /** Default for missing values. */
  fallback?: number;
}

/**
 * Metadata of a file that is cached for the key of a card. Row numbers refer to the file. A wide table has the columns of its
 * long form, unless its card has no key or a key column is missing.
 */
export interface FileFacts {
  /** Reason why the file is not a table. All other fields are then empty. */
  problem?: string;
  columns: FactsOfColumn[];
  /** First key that occurs twice. */
  doubled?: { key: string[]; rows: [number, number] };
  /** First rows with an empty cell in a key column, and the number of such rows. */
  empty?: { rows: number[]; count: number; column: string };
  /** Number of rows. */
  rows?: number;
  /** Members that the columns of a wide table represent. */
  headers?: string[];
  /** First header that two columns share, and their numbers in the table, starting at 1. */
  doubledHeader?: { header: string; columns: [number, number] };
  /** Findings that a planner should check, such as omitted rows and guesses. */
  notes?: string[];
}

export interface FactsOfColumn {
  name: string;
  type: 'number' | 'text';
  /** Format of the dates or times in the column. */
  reading?: DateReading;
  /** First text cell in a numeric column. In a wide table, `column` is the header of the cell. */
  misfit?: { row: number; column: string; text: string };
  /** Distinct strings in a key or text column, unless there are too many. */
  values?: string[];
  /** Minimum and maximum. */
  range?: [number, number];
  /** Key of the first row without a value. */
  empty?: string[];
  /** Cells, unless there are too many: numbers, or indexes of strings in `values`. Null for empty cells. */
  cells?: (number | null)[];
}

const cellsByColumn = new WeakMap<FactsOfColumn, Cells>();

/** Returns the cells of a column, if known. Always returns the same object for a column, so that results can be cached. */
export function cellsOf(column: FactsOfColumn): Cells | undefined {
  const { type, cells, values = [] } = column;
  if (cells === undefined || type === 'number') return cells;
  const texts = cellsByColumn.get(column) ?? cells.map((place) => (place === null ? null : values[place]!));
  cellsByColumn.set(column, texts);
  return texts;
}

/** Cached state of a card's file: missing, not read yet, or its metadata. */
export type FileState = FileFacts | 'missing' | 'unread';

/** Cached states of files by {@link fileKey}. Files without an entry have not been inspected. */
export type FileStates = ReadonlyMap<string, FileState>;

export const NO_FILES: FileStates = new Map();

type FileRequest = Pick<DataFile, 'path' | 'sheet' | 'dialect' | 'key' | 'isDistinct' | 'columnsAs'>;

/** Returns the cache key of a card's file. Cards with the same cache key need the same metadata. */
export const fileKey = (file: FileRequest): string => JSON.stringify([file.path, contentKey(file)]);

/** Returns the cache key without the path. Files with equal content share the metadata under this key. */
export const contentKey = ({ path, sheet, dialect, key, isDistinct, columnsAs }: FileRequest): string =>
  JSON.stringify([
    VERSION,
    tableFormat(path) ?? null,
    sheet ?? null,
    dialectOf(dialect) ?? null,
    key,
    isDistinct,
    columnsAs !== undefined,
  ]);

/** Returns the table of a card, without its key and columns. */
export const tableOf = ({ path, sheet, dialect }: DataFile): Pick<DataFile, 'path' | 'sheet' | 'dialect'> => ({
  path,
  ...(sheet !== undefined && { sheet }),
  ...(dialect !== undefined && { dialect }),
});

/** Version of the metadata. Increase it whenever files are read differently, to invalidate the cached metadata. */
const VERSION = 7;

/**
 * Returns all columns except key columns, with their names in formulas. Several columns may share a derived name. Exact column
 * names and names from the card take precedence over derived names.
 */
export function columnNames(
  { names, key }: Pick<DataFile, 'names' | 'key'>,
  columns: readonly string[],
): [name: string, column: string][] {
  const reservedColumns = new Set([...Object.values(names), ...key]);
  const otherColumns = columns.filter((column) => !reservedColumns.has(column));
  const exact = new Set(otherColumns.filter(isName));
  const derived = otherColumns.flatMap((column): [string, string][] => {
    const name = nameOf(column);
    const isTaken = name === undefined || Object.hasOwn(names, name) || (name !== column && exact.has(name));
    return isTaken ? [] : [[name, column]];
  });
  return [...Object.entries(names), ...derived];
}

/**
 * Returns the formula name of a column: invalid characters become `_`, and `m²` becomes `m2`. Returns undefined if no valid
 * character remains.
 */
export function nameOf(column: string): string | undefined {
  if (isName(column)) return column;
  let name = withoutPowers(column.normalize('NFC')).replace(/[^\p{L}\p{M}\p{N}]+/gu, '_');
  if (name.startsWith('_')) name = name.slice(1);
  if (name.endsWith('_')) name = name.slice(0, -1);
  return [name, `_${name}`].find((one) => one !== '' && one !== '_' && isName(one));
}
