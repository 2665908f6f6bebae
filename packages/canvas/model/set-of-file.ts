import { readFileSync } from 'node:fs';
import { deserialize } from 'node:v8';
import { type ColumnCells, rowInFile } from '../../data-engine/index.js';
import { type ColumnData, type Members, shortened, type Space } from '../../modelling/index.js';
import type { DataContent } from '../data-content.js';
import { problemOfMembers } from '../data-gaps.js';
import type { DataFile } from '../data-file.js';
import type { ModelCard, SetTable } from './model-card.js';
import { cardProblem } from './card-fields.js';

/**
 * Adds a set from a file, in row order, with the columns that formulas use.
 *
 * @throws ModelProblem that identifies the file, and the row and column if they are known
 */
export function readSetOfFile(space: Space, card: ModelCard, { set, file }: DataContent, table: SetTable): void {
  if (set === undefined || file === undefined) throw new Error('Only the file of a set has a table');
  const ambiguity = problemOfMembers(file);
  if (ambiguity !== undefined) throw cardProblem(card, ambiguity);
  if ('problem' in table) throw cardProblem(card, table.problem);
  const { path, key } = file;
  const columnCells = deserialize(readFileSync(table.file)) as ColumnCells[];
  const cells = new Map(table.names.map((column, at) => [column, columnCells[at]!]));
  const refuse = (place: number, what: string): never => {
    throw cardProblem(card, `${path}, row ${rowInFile(table, place)}${what}`);
  };
  if (key.length === 0) throw cardProblem(card, `which column of ${path} identifies the members of ${set.name}?`);
  const keys = key.map((column) => {
    const texts = textsOf(cells.get(column)!);
    const empty = file.isDistinct ? -1 : texts.indexOf('');
    if (empty >= 0) refuse(empty, `: ${column} is empty`);
    return texts;
  });
  const [first, ...others] = keys;
  const readings = key.map((column) => table.readings?.get(column));
  if (file.isDistinct) {
    // Rows with an empty key cell do not belong to any member.
    const members = [...new Set(first)].filter((text) => text !== '');
    space.addSet(set.name, { titles: key, keys: [members], readings });
    return;
  }
  const added = space.addSet(set.name, { titles: key, keys: [first!, ...others], readings });
  const doubled = firstDuplicate(added);
  if (doubled !== undefined) {
    const member = keys.map((texts) => shortened(texts[doubled]!)).join(', ');
    const before = rowInFile(table, added.table.ids.indexOf(added.table.ids[doubled]!));
    refuse(doubled, `: the member ${member} is already in row ${before}`);
  }
  for (const [name, column] of table.columns) {
    const reading = table.readings?.get(column);
    space.addColumn(name, { ...toColumn(set.name, cells.get(column)!, file), ...(reading && { reading }) });
  }
}

/** Returns the index of the first duplicate member, or undefined if all members are distinct. */
function firstDuplicate({ table: { ids, size } }: Members): number | undefined {
  if (size === ids.length) return undefined;
  let next = 0;
  const place = ids.findIndex((id) => id !== next++);
  return place < 0 ? undefined : place;
}

function toColumn(set: string, cells: ColumnCells, { fallback }: DataFile): ColumnData {
  return cells.type === 'number'
    ? { set, type: 'number', figures: cells.figures, ...(fallback !== undefined && { fallback }) }
    : { set, type: 'text', texts: textsOf(cells) };
}

/** Converts cells to member names. Missing values become empty strings. */
function textsOf(cells: ColumnCells): string[] {
  if (cells.type === 'number')
    return Array.from(cells.figures, (figure) => (Number.isNaN(figure) ? '' : String(figure)));
  return Array.from(cells.places, (place) => (place < 0 ? '' : cells.texts[place]!));
}
