import {
  combinedArity,
  type DerivedSet,
  indexOfSubset,
  nearestNames,
  type SetShape,
  shortened,
  unknownSet,
  type Vocabulary,
} from '../modelling/index.js';
import type { Gap } from './card.js';
import type { DataContent } from './data-content.js';
import type { CardFormula, CardIndex } from './expressions.js';
import { gap } from './kinds/fields.js';

/* Sets of data cards whose members come from other sets: the members that meet a condition, or the members of several sets. */

/** Fields that define members or numbers in another way. */
const OTHER_SOURCES = ['members', 'file_path', 'key', 'column', 'columns_as', 'computed'];

type Data = Readonly<Record<string, unknown>>;

/** Returns the formula that selects the members of a subset, and the index field with its text. */
export function subsetFormula(
  of: string | string[] | undefined,
  where: string | undefined,
): { formula: [field: string, formula: CardFormula]; index: CardIndex } | undefined {
  const isUnion = Array.isArray(of) && of.length > 1;
  const subset = of === undefined || where === undefined || isUnion ? undefined : indexOfSubset(of, where);
  if (subset === undefined || 'problem' in subset) return undefined;
  const { text, start } = subset;
  return {
    formula: ['where', { text: '0', index: text, use: 'bound' }],
    index: { field: 'where', text, before: { field: 'of', length: start } },
  };
}

/** Explains why a card cannot define a set by other sets. Returns undefined if the definition itself is valid. */
export function problemOfDerivedSet(
  data: Data,
  { set, columns }: Pick<DataContent, 'set' | 'columns'>,
): { field: string; problem: string } | undefined {
  if (data['of'] == null)
    return data['where'] == null
      ? undefined
      : { field: 'where', problem: 'It selects members of another set: name this set in `of`' };
  if (set === undefined)
    return data['set'] == null ? { field: 'set', problem: 'What should the set be called?' } : undefined;
  const { name, derivation } = set;
  if (derivation === undefined) return undefined;
  const other = OTHER_SOURCES.find((field) => data[field] != null);
  if (other !== undefined)
    return { field: other, problem: `The members come from the set in \`of\`: remove either \`of\` or \`${other}\`` };
  const [column] = columns.keys();
  if (column !== undefined)
    return {
      field: 'values',
      problem: `Write the values of ${shortened(column)} on the card of the set that contains the members of ${name}`,
    };
  if (!('problem' in derivation)) return undefined;
  return { field: derivation.field, problem: derivation.problem };
}

/** Returns the gaps of a set whose members come from other sets. */
export function gapsOfDerivedSet(
  data: Data,
  content: DataContent,
  { sets, isCyclic }: { sets: Vocabulary['sets']; isCyclic: (name: string) => boolean },
): Gap[] {
  const problem = problemOfDerivedSet(data, content);
  if (problem !== undefined) return [gap(problem.field, problem.problem)];
  const { name = '', derivation } = content.set ?? {};
  if (derivation === undefined || 'problem' in derivation) return [];
  if (isCyclic(name)) return [gap('of', `${shortened(name)} depends on itself`)];
  return gapsOfUnion(derivation, sets);
}

function gapsOfUnion({ union = [] }: DerivedSet, sets: Vocabulary['sets']): Gap[] {
  const unknown = union.find((one) => !sets.has(one));
  if (unknown !== undefined) return [gap('of', unknownSet(unknown, nearestNames(unknown, sets.keys(), 1)))];
  const arities = union.map((one) => [one, sets.get(one)!.arity] as const);
  const [first] = arities;
  const different = arities.find(([, arity]) => arity !== first?.[1]);
  return first === undefined || different === undefined ? [] : [gap('of', combinedArity([first, different]))];
}

/** Adds the shapes of derived sets to the shapes of all other sets. The definition of a set may come before its sources. */
export function addDerivedSets(sets: Map<string, SetShape>, contents: readonly Pick<DataContent, 'set'>[]): void {
  const derivations = new Map<string, DerivedSet>();
  const cyclic = new Set(contents.flatMap(({ set }) => (set?.isCyclic === true ? set.name : [])));
  for (const { set } of contents) {
    const { name = '', derivation } = set ?? {};
    const isNew = derivation !== undefined && !('problem' in derivation) && !sets.has(name) && !derivations.has(name);
    if (isNew) derivations.set(name, derivation);
  }
  const shapeOf = (name: string): SetShape => {
    const derivation = derivations.get(name);
    const known = sets.get(name);
    if (known !== undefined || derivation === undefined) return known ?? { arity: 1 };
    const { index, union = [] } = derivation;
    // A set that depends on itself is reported as a gap.
    sets.set(name, { arity: index?.over[0].names.length ?? 1, derivation });
    const [first, ...others] = (index === undefined ? union : [index.over[0].set]).map(shapeOf);
    const readings = first?.readings?.map((reading, part) =>
      others.every((other) => other.readings?.[part]?.type === reading?.type) ? reading : undefined,
    );
    const arity = index?.over[0].names.length ?? first?.arity ?? 1;
    const shape: SetShape = {
      arity,
      derivation,
      ...(cyclic.has(name) && { isCyclic: true }),
      ...(readings !== undefined && { readings }),
    };
    sets.set(name, shape);
    return shape;
  };
  for (const name of derivations.keys()) shapeOf(name);
}
