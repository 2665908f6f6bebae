import { type FactsOfColumn, questionOf, readData } from '../canvas/index.js';
import type { Sketch, SketchCard } from './sketch.js';

/* What can be chosen where a question is about the columns of a file. */

/** A label to choose, and the statements that choosing it is as good as. */
export type Choice = [label: string, statements: string];

/** Columns of a file that one question offers. */
const MAX_COLUMNS = 5;

/** What says again how the members of a set are told, where a card tells it in two ways. */
export function membersChoices(card: SketchCard): Choice[] {
  const { set, file } = readData(card);
  if (set === undefined || file?.otherKey === undefined) return [];
  const place = `${set.name} from "${file.path}"${file.sheet === undefined ? '' : ` sheet "${file.sheet}"`}`;
  const [keys, column] = [file.otherKey, file.key].map((names) => names.map((name) => `"${name}"`).join(', '));
  return [
    [`Rows told apart by ${file.otherKey.join(', ')}`, `${place} key ${keys}`],
    [`Different values of ${file.key.join('')}`, `${place} column ${column}`],
  ];
}

/** What says which column a name stands for that stands for none; undefined where none does so. */
export function namingOfColumn(card: SketchCard, sketch: Sketch): ((column: string) => string) | undefined {
  const { set, file } = readData(card);
  const known = columnsOf(card, sketch).map(({ name }) => name);
  const [name] = Object.entries(file?.names ?? {}).find(([, column]) => !known.includes(column)) ?? [];
  return set === undefined || name === undefined ? undefined : (column) => `${name} of ${set.name}: column "${column}"`;
}

/** What is known of the columns of the file of a card. */
function columnsOf(card: SketchCard, sketch: Sketch): readonly FactsOfColumn[] {
  const { file } = readData(card);
  const state = file && sketch.files.get(questionOf(file));
  return typeof state === 'object' ? state.columns : [];
}

/** The columns of a file to choose from: texts, which tell rows apart, before figures. */
export function columnChoices(card: SketchCard, sketch: Sketch, setting: (value: string) => string): Choice[] {
  const columns = columnsOf(card, sketch);
  const ordered = [
    ...columns.filter(({ type }) => type === 'text'),
    ...columns.filter(({ type }) => type === 'number'),
  ].filter(({ name }) => !/,| and /i.test(name));
  return ordered.slice(0, MAX_COLUMNS).map(({ name }): Choice => [name, setting(name)]);
}
