import type { TableDescription } from '../../data-engine/index.js';
import type { DateReading } from '../../modelling/index.js';
import type { CardContent } from '../card.js';
import type { Adjustment } from './adjustments.js';

/** What of a card makes the model. */
export interface ModelCard extends CardContent {
  /** What a scenario makes of columns of a data card, once they have been read. */
  adjustments?: readonly Adjustment[];
}

/** What a model needs of the file of a set, or why it cannot be read. */
export type SetTable =
  | {
      /** A file of this machine with the cells of {@link names}, a list of `ColumnCells` as V8 serialises it. */
      file: string;
      /** The columns of the key and those that formulas use, as the table calls them. */
      names: readonly string[];
      /** Those of them that formulas can use, by the names that they have there. */
      columns: ReadonlyMap<string, string>;
      /** How columns with dates or times are read, by the names that the table has for them. */
      readings?: ReadonlyMap<string, DateReading>;
      /** What number rows have in the file, as {@link rowInFile} reads it. */
      rowNumbers: TableDescription['rowNumbers'];
    }
  | { problem: string };
