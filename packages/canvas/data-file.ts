import { dialectOf, type DialectOptions, tableFormat } from '../data-engine/index.js';
import { type Cells, type DateReading, isName, withoutPowers } from '../modelling/index.js';

/** A table in a file of the workspace, as a data card names it. */
export interface DataFile {
  path: string;
  /** Absent: the first one of a workbook. */
  sheet?: string;
  /** How it is to be read; the rest is recognised. */
  dialect?: DialectOptions;
  /** Columns whose cells together are a member. */
  key: readonly string[];
  /** Whether the set is that of the different members, which may come several times. */
  isDistinct: boolean;
  /** The key that a card names beside the column of the different members: it is not known which of them is meant. */
  otherKey?: readonly string[];
  /** Columns by the names that formulas have for them; others are called as they are, as far as formulas can say it. */
  names: Readonly<Record<string, string>>;
  /** Stands in the place of figures that are missing. */
  fallback?: number;
}

/** What is known of the content of a file, as far as the key of a card asks for it. Rows are those of the file. */
export interface FileFacts {
  /** Why it is no table, in a sentence; then nothing else is known. */
  problem?: string;
  columns: FactsOfColumn[];
  /** The first key that is there twice. */
  doubled?: { key: string[]; rows: [number, number] };
  /** The first row without a whole key. */
  empty?: { row: number; column: string };
  /** Rows of the table. */
  rows?: number;
  /** What a planner should check: rows that are left out, and guesses. */
  notes?: string[];
}

export interface FactsOfColumn {
  name: string;
  type: 'number' | 'text';
  /** How its dates or times are read. */
  reading?: DateReading;
  /** The first text among figures. */
  misfit?: { row: number; text: string };
  /** The different texts of a column of the key or of texts, unless there are too many. */
  values?: string[];
  /** The smallest and the largest figure. */
  range?: [number, number];
  /** The key of the first row without a figure. */
  empty?: string[];
  /** The cells, unless there are too many: figures, or of texts their places in `values`; null where one is empty. */
  cells?: (number | null)[];
}

const cellsByColumn = new WeakMap<FactsOfColumn, Cells>();

/** The cells of a column, as far as they are known. Equal ones are the same object, so that what follows from them can be cached. */
export function cellsOf(column: FactsOfColumn): Cells | undefined {
  const { type, cells, values = [] } = column;
  if (cells === undefined || type === 'number') return cells;
  const texts = cellsByColumn.get(column) ?? cells.map((place) => (place === null ? null : values[place]!));
  cellsByColumn.set(column, texts);
  return texts;
}

/** What is known of the file of a card: whether it is there, and what stands in it once that has been read. */
export type FileState = FileFacts | 'missing' | 'unread';

/** What is known of files, by {@link questionOf}. What is not there has not been looked at. */
export type FileStates = ReadonlyMap<string, FileState>;

export const NO_FILES: FileStates = new Map();

type Question = Pick<DataFile, 'path' | 'sheet' | 'dialect' | 'key' | 'isDistinct'>;

/** What a card asks of its file, equal for those that ask the same. */
export const questionOf = (file: Question): string => JSON.stringify([file.path, aspectOf(file)]);

/** The same without the place of the file: of equal contents the answer is the same. */
export const aspectOf = ({ path, sheet, dialect, key, isDistinct }: Question): string =>
  JSON.stringify([VERSION, tableFormat(path) ?? null, sheet ?? null, dialectOf(dialect) ?? null, key, isDistinct]);

/** The table of a card, without what the card wants of it. */
export const tableOf = ({ path, sheet, dialect }: DataFile): Pick<DataFile, 'path' | 'sheet' | 'dialect'> => ({
  path,
  ...(sheet !== undefined && { sheet }),
  ...(dialect !== undefined && { dialect }),
});

/** Counts up when contents come to be read in another way: what was found out before does not count any more. */
const VERSION = 5;

/**
 * Columns with the names that formulas have for them, without those of the key. Several columns may have the same name, unless one is
 * written so in the file or a card gives the name.
 */
export function columnNames(
  { names, key }: Pick<DataFile, 'names' | 'key'>,
  columns: readonly string[],
): [name: string, column: string][] {
  const taken = new Set([...Object.values(names), ...key]);
  const others = columns.filter((column) => !taken.has(column));
  const exact = new Set(others.filter(isName));
  const derived = others.flatMap((column): [string, string][] => {
    const name = nameOf(column);
    const isTaken = name === undefined || Object.hasOwn(names, name) || (name !== column && exact.has(name));
    return isTaken ? [] : [[name, column]];
  });
  return [...Object.entries(names), ...derived];
}

/** What formulas call a column: its name, with `_` in the place of what no name has in it, and `m2` for `m²`; undefined where nothing is left. */
export function nameOf(column: string): string | undefined {
  if (isName(column)) return column;
  let name = withoutPowers(column.normalize('NFC')).replace(/[^\p{L}\p{M}\p{N}]+/gu, '_');
  if (name.startsWith('_')) name = name.slice(1);
  if (name.endsWith('_')) name = name.slice(0, -1);
  return [name, `_${name}`].find((one) => one !== '' && one !== '_' && isName(one));
}
