import type { DerivedSet } from '../derived-set.js';
import { combinedArity, unknownSet } from '../sentences.js';
import type { Evaluator } from './evaluator.js';
import { pickFrom } from './frame.js';
import { KeyTable } from './key-table.js';
import { refuse } from './refusal.js';
import type { Members, Space } from './space.js';

/**
 * Adds a set whose members come from other sets to a space, which must contain all names that its definition mentions.
 *
 * @throws ExpansionRefusal
 */
export function deriveSet(space: Space, evaluator: Evaluator, name: string, { index, union = [] }: DerivedSet): void {
  if (index === undefined) addUnion(space, name, union);
  else {
    const { codes } = evaluator.rows(index);
    const [{ names, set }] = index.over;
    const { titles, readings } = space.sets.get(set)!;
    space.addMembers(name, { titles, columns: names.map((one) => codes.get(one)!), readings });
  }
}

/** Adds the members of several sets in the order of first occurrence. */
function addUnion(space: Space, name: string, union: readonly string[]): void {
  const sets = union.map((one) => space.sets.get(one) ?? refuse(unknownSet(one)));
  const [first, ...others] = sets;
  if (first === undefined) return;
  const different = others.find(({ columns }) => columns.length !== first.columns.length);
  if (different !== undefined)
    refuse(combinedArity([first, different].map((one) => [one.name, one.columns.length] as const)));
  const size = sets.reduce((sum, set) => sum + set.size, 0);
  const columns = first.columns.map((_, part) => {
    const all = new Int32Array(size);
    let at = 0;
    for (const set of sets) {
      all.set(set.columns[part]!, at);
      at += set.size;
    }
    return all;
  });
  const { ids } = new KeyTable(columns, size);
  let next = 0;
  const firstRows = Int32Array.from(ids.keys()).filter((row) => {
    if (ids[row] !== next) return false;
    next += 1;
    return true;
  });
  space.addMembers(name, {
    titles: titlesOf(name, sets, first),
    columns: columns.map((column) => pickFrom(column, firstRows)),
    readings: first.columns.map((_, part) => {
      const reading = first.readings[part];
      return others.every((set) => set.readings[part]?.type === reading?.type) ? reading : undefined;
    }),
  });
}

/** Returns the common titles of the sets. A set of single members is otherwise its own title. */
const titlesOf = (name: string, sets: readonly Members[], { titles }: Members): readonly string[] =>
  titles.length > 1 || sets.every((set) => set.titles.join() === titles.join()) ? titles : [name];
