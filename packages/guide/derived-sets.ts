import { fieldOf, FILE_FIELDS } from '../canvas/index.js';
import { whyComputed } from './computed-numbers.js';
import { definitionIn } from './definition-grammar.js';
import { type CombinedSets, combinedSets, readSubset } from './derived-set-grammar.js';
import { quote } from './quote.js';
import { readRelation } from './relation-grammar.js';
import type { Sketch, SketchCard } from './sketch.js';
import type { StatementOf } from './statement.js';

/* Changes the data cards whose sets have the members of other sets. */

type DerivedSet = StatementOf<'derived_set'>;

/** Names for the parts of a member in the condition of a difference. */
const LETTERS = ['p', 'q', 'r', 's', 't'];

/** Card data that clears the fields that define the members of a set. */
export const NO_SOURCE = Object.fromEntries([...FILE_FIELDS, 'members', 'of', 'where'].map((field) => [field, null]));

/** Returns the data card that defines a set. */
export const setCard = (sketch: Sketch, set: string): SketchCard | undefined =>
  sketch.of('data').find((card) => fieldOf(card, 'set') === set);

/** Whether a set on the canvas has the members of other sets. */
export const isDerived = (sketch: Sketch, set: string): boolean => setCard(sketch, set)?.data['of'] !== undefined;

/** Adds or replaces a set with members of other sets. Returns the reason if the statement cannot be used. */
export function deriveSet(statement: DerivedSet, sketch: Sketch, cause: string): string | undefined {
  const { set, of, where, without } = statement;
  const reason = whyNotDerived(statement, sketch);
  if (reason !== undefined) return reason;
  removeRefused(set, sketch);
  const condition =
    without === undefined ? where : conditionWithout(without, sketch.vocabulary.sets.get([of].flat()[0]!));
  const data = { ...NO_SOURCE, set, of, ...(condition !== undefined && { where: condition }) };
  const holder = setCard(sketch, set);
  if (holder !== undefined) sketch.change(holder, data, cause);
  else sketch.put('data', sketch.find('data', set) === undefined ? set : sketch.freeLabel('data', set), data, cause);
  return undefined;
}

/** Explains why a set cannot be defined on this canvas. Returns undefined if it can be defined. */
export const whyNotDerived = ({ set, of, without }: DerivedSet, sketch: Sketch): string | undefined =>
  whyTaken(set, sketch) ?? whyMixed(set, of, without);

/** Returns the definition of a set that the text of a card states. */
export function derivedSetIn(text: string, sketch: Sketch): DerivedSet | undefined {
  const subset = readSubset(text)?.statement;
  if (subset?.kind === 'derived_set') return subset;
  const equation = readRelation(text).statement;
  const definition = equation && definitionIn(equation);
  const combined = definition && combinedSets(definition);
  if (definition === undefined || combined === undefined) return undefined;
  const { sets } = sketch.vocabulary;
  const areSets = [...combined.added, ...combined.removed].every((one) => sets.has(one));
  return areSets ? combination(definition.name, combined) : undefined;
}

/** Removes the cards that keep the text of earlier definitions of a set that could not be used. */
function removeRefused(set: string, sketch: Sketch): void {
  for (const card of sketch.of('constraint'))
    if (derivedSetIn(fieldOf<string>(card, 'expression') ?? '', sketch)?.set === set) sketch.remove(card);
}

/** Returns the statement for an equation whose right side combines sets. */
export const combination = (set: string, { added, removed }: CombinedSets): DerivedSet => ({
  kind: 'derived_set',
  set,
  of: added.length === 1 ? added[0]! : added,
  ...(removed.length > 0 && { without: removed }),
});

/** Returns the condition that a member is in none of the given sets. */
function conditionWithout(sets: readonly string[], shape: { arity: number } | undefined): string {
  const letters = LETTERS.slice(0, shape?.arity ?? 1);
  const member = letters.length === 1 ? letters.join() : `(${letters.join(', ')})`;
  return sets.map((set) => `${member} not in ${set}`).join(' and ');
}

/** Explains that a name already has another meaning. */
function whyTaken(name: string, sketch: Sketch): string | undefined {
  const called = quote(name, 60);
  if (sketch.variable(name) !== undefined) return `${called} is a variable: use a new name for the set`;
  if (sketch.values.has(name)) return `${called} is a value: write ${quote(`remove ${name}`)} first, or use a new name`;
  return whyComputed(name, sketch);
}

/** Explains that a statement adds several sets and also removes members. */
function whyMixed(set: string, of: DerivedSet['of'], without: DerivedSet['without']): string | undefined {
  if (without === undefined || typeof of === 'string') return undefined;
  const [all, rest] = [quote(`all = ${of.join(' + ')}`), quote(`${set} = all - ${without.join(' - ')}`)];
  return `a set cannot combine several sets and leave out members at the same time: write ${all} first, and then ${rest}`;
}
