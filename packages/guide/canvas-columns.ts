import { someOf } from '../modelling/index.js';
import { fileColumns, questionOf, readData } from '../canvas/index.js';
import { quote } from './quote.js';
import type { Sketch } from './sketch.js';

/** A column over a set. */
export interface SetColumn {
  /** Its name in formulas. */
  name: string;
  /** Its name in the file; the same if it is written on the canvas. */
  column: string;
  type: 'number' | 'text';
  set: string;
  isInFile: boolean;
  /** The file, or the set that it is written with. */
  place: string;
}

const MAX_SHOWN = 8;

/** The columns of all sets on the canvas, as far as their files have been read. */
export function columnsOf(sketch: Sketch): SetColumn[] {
  return sketch.of('data').flatMap((card) => {
    const content = readData(card);
    const { set, file, columns } = content;
    if (set === undefined) return [];
    const state = file && sketch.files.get(questionOf(file));
    const inFile = typeof state === 'object' ? fileColumns(content, state) : [];
    return [
      ...Array.from(columns, ([name, { type }]): SetColumn => ({
        ...{ name, column: name, type, set: set.name, isInFile: false, place: set.name },
      })),
      ...inFile.map(([name, { type, column }]): SetColumn => ({
        ...{ name, column, type, set: set.name, isInFile: true, place: file?.path.split('/').at(-1) ?? set.name },
      })),
    ];
  });
}

/**
 * Lists the formula names of the columns in a sentence. Returns an empty text without columns.
 *
 * @param set only the columns over this set
 */
export function describeColumns(sketch: Sketch, set?: string): string {
  const columns = columnsOf(sketch).filter((column) => set === undefined || column.set === set);
  if (columns.length === 0) return '';
  const shown = columns.map(({ name, column, place }) =>
    name === column ? `${quote(name)} of ${quote(place)}` : `${quote(name)} (${quote(column)} of ${quote(place)})`,
  );
  return `In formulas the columns are called ${someOf(shown, MAX_SHOWN)}.`;
}
