import { type FactsOfColumn, fileKey, readData } from '../canvas/index.js';
import type { Sketch, SketchCard } from './sketch.js';

/* Builds the options for questions about the columns of a file. */

/** Label of an option, and its equivalent statements. */
export type Choice = [label: string, statements: string];

/** Maximum number of columns in a question. */
const MAX_COLUMNS = 5;

/** Returns options for a set whose members are ambiguous. */
export function membersChoices(card: SketchCard): Choice[] {
  const { set, file } = readData(card);
  if (set === undefined || file?.otherKey === undefined) return [];
  const place = `${set.name} from "${file.path}"${file.sheet === undefined ? '' : ` sheet "${file.sheet}"`}`;
  const [keys, column] = [file.otherKey, file.key].map((names) => names.map((name) => `"${name}"`).join(', '));
  return [
    [`Rows identified by ${file.otherKey.join(', ')}`, `${place} key ${keys}`],
    [`Distinct values of ${file.key.join('')}`, `${place} column ${column}`],
  ];
}

/**
 * Returns a function that builds the statement for mapping a formula name to another column. Returns undefined if all mapped
 * columns exist.
 */
export function namingOfColumn(card: SketchCard, sketch: Sketch): ((column: string) => string) | undefined {
  const { set, file } = readData(card);
  const known = columnsOf(card, sketch).map(({ name }) => name);
  const [name] = Object.entries(file?.names ?? {}).find(([, column]) => !known.includes(column)) ?? [];
  return set === undefined || name === undefined ? undefined : (column) => `${name} of ${set.name}: column "${column}"`;
}

/** Returns the known columns of a card's file. */
function columnsOf(card: SketchCard, sketch: Sketch): readonly FactsOfColumn[] {
  const { file } = readData(card);
  const state = file && sketch.files.get(fileKey(file));
  // The columns of a wide table are members.
  return typeof state === 'object' && state.headers === undefined ? state.columns : [];
}

/** Returns the columns of a file as options. Text columns come first, because they identify rows. */
export function columnChoices(card: SketchCard, sketch: Sketch, setting: (value: string) => string): Choice[] {
  const columns = columnsOf(card, sketch);
  const ordered = [
    ...columns.filter(({ type }) => type === 'text'),
    ...columns.filter(({ type }) => type === 'number'),
  ].filter(({ name }) => !/,| and /i.test(name));
  return ordered.slice(0, MAX_COLUMNS).map(({ name }): Choice => [name, setting(name)]);
}
