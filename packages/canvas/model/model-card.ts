import type { TableDescription } from '../../data-engine/index.js';
import type { DateReading } from '../../modelling/index.js';
import type { CardContent } from '../card.js';
import type { Adjustment } from './adjustments.js';

/** Card content from which the model is built. */
export interface ModelCard extends CardContent {
  /** Changes that a scenario makes to the columns of a data card after they have been read. */
  adjustments?: readonly Adjustment[];
}

/** Table of a set in a file, or the reason why it cannot be read. */
export type SetTable =
  | {
      /** Path of a local file with the cells of the columns in {@link names}, as `ColumnCells[]` in V8 serialization. */
      file: string;
      /** Names, in the table, of the key columns and of the columns that formulas use. */
      names: readonly string[];
      /** Members that the columns of a wide table represent. These columns follow the key columns in {@link names}. */
      headers?: readonly string[];
      /** Table columns by their names in formulas. */
      columns: ReadonlyMap<string, string>;
      /** Formats of columns with dates or times, by their names in the table. */
      readings?: ReadonlyMap<string, DateReading>;
      /** Row numbers in the original file, as needed by {@link rowInFile}. */
      rowNumbers: TableDescription['rowNumbers'];
    }
  | { problem: string };
