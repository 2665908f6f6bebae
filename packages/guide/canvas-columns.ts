import { listFirst } from '../modelling/index.js';
import { fileColumns, fileKey, readData } from '../canvas/index.js';
import { quote } from './quote.js';
import type { Sketch } from './sketch.js';

/** Column over the members of a set. */
export interface SetColumn {
  /** Name in formulas. */
  name: string;
  /** Name in the file. Equal to `name` if the column is written on the canvas. */
  column: string;
  type: 'number' | 'text';
  set: string;
  /** Whether the card can give the column another name. */
  canBeNamed: boolean;
  /** Name of the file, or of the set whose card holds the column. */
  place: string;
}

const MAX_SHOWN = 8;

/** Returns the columns of all sets on the canvas. Omits files that have not been read. */
export function columnsOf(sketch: Sketch): SetColumn[] {
  return sketch.of('data').flatMap((card) => {
    const content = readData(card);
    const { set, file, columns } = content;
    if (set === undefined) return [];
    const state = file && sketch.files.get(fileKey(file));
    const inFile = typeof state === 'object' ? fileColumns(content, state) : [];
    return [
      ...Array.from(columns, ([name, { type }]): SetColumn => ({
        ...{ name, column: name, type, set: set.name, canBeNamed: false, place: set.name },
      })),
      ...inFile.map(([name, { type, column }]): SetColumn => ({
        ...{ name, column, type, set: set.name, canBeNamed: file?.columnsAs === undefined },
        place: file?.path.split('/').at(-1) ?? set.name,
      })),
    ];
  });
}

/**
 * Lists the formula names of the columns in a sentence. Returns an empty string if there are no columns.
 *
 * @param set limits the list to columns over this set
 */
export function describeColumns(sketch: Sketch, set?: string): string {
  const columns = columnsOf(sketch).filter((column) => set === undefined || column.set === set);
  if (columns.length === 0) return '';
  const shown = columns.map(({ name, column, place }) =>
    name === column ? `${quote(name)} of ${quote(place)}` : `${quote(name)} (${quote(column)} of ${quote(place)})`,
  );
  return `In formulas, the columns are called ${listFirst(shown, MAX_SHOWN)}.`;
}
