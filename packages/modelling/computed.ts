import type { DerivedSet } from './derived-set.js';
import { type Expression, type Index, isProblem } from './formula.js';
import { freeNamesOf } from './mentions.js';
import { parseFormula, parseIndex } from './parse-formula.js';
import { namesOfIndex, type Vocabulary } from './vocabulary.js';

/** Number that a formula defines, or column of numbers with a cell for each member of an index. */
export interface Computed {
  /** Absent if the formula could not be parsed. */
  expression?: Expression;
  index?: Index;
  /**
   * Set of the column: a set on the canvas, or the text of the index in backticks if its rows are not exactly the members of a
   * set.
   */
  set?: string;
}

/** Parses the definition of a computed number. Returns undefined if its index could not be parsed. */
export function readComputed(text: string, indexText?: string): Computed | undefined {
  const index = indexText === undefined ? undefined : parseIndex(indexText);
  if (index !== undefined && isProblem(index)) return undefined;
  const formula = parseFormula(text);
  return {
    ...(!isProblem(formula) && formula.relations.length === 0 && { expression: formula.sides[0] }),
    ...(index !== undefined && { index, set: setOf(index) ?? `\`${indexText!.trim()}\`` }),
  };
}

/** Returns the set whose members are exactly the rows of an index, in the same order. */
function setOf(index: Index): string | undefined {
  const [{ names, set }, ...others] = index.over;
  const isWhole = others.length === 0 && index.where === undefined && namesOfIndex(index).length === names.length;
  return isWhole ? set : undefined;
}

/** Definition of a computed number or a derived set. */
export type Definition = Computed | DerivedSet;

/** Returns the names of the direct inputs of a definition: constants, columns and sets. */
export function inputsOf(definition: Definition): string[] {
  const { index } = definition;
  const expression = 'expression' in definition ? definition.expression : undefined;
  const union = 'union' in definition ? (definition.union ?? []) : [];
  return [...union, ...freeNamesOf(expression && { sides: [expression], relations: [] }, index)];
}

/** Returns the definitions of all computed numbers and derived sets. */
export function definitionsIn({ sets, computed }: Pick<Vocabulary, 'sets' | 'computed'>): Map<string, Definition> {
  const definitions = new Map<string, Definition>(computed);
  for (const [name, { derivation }] of sets)
    if (derivation !== undefined && !definitions.has(name)) definitions.set(name, derivation);
  return definitions;
}

/**
 * Sorts names of computed numbers and derived sets so that each name comes after its inputs. Names that depend on themselves are
 * returned separately.
 *
 * @param names names to sort. Their inputs are added
 */
export function computationOrder(
  names: Iterable<string>,
  definitions: ReadonlyMap<string, Definition>,
): { order: string[]; cyclic: Set<string> } {
  const finished = new Set<string>();
  const cyclic = new Set<string>();
  const path: string[] = [];
  const visit = (name: string): void => {
    const definition = definitions.get(name);
    if (definition === undefined || finished.has(name)) return;
    const start = path.indexOf(name);
    if (start >= 0) {
      for (const member of path.slice(start)) cyclic.add(member);
      return;
    }
    path.push(name);
    for (const input of inputsOf(definition)) visit(input);
    path.pop();
    finished.add(name);
  };
  for (const name of names) visit(name);
  return { order: [...finished].filter((name) => !cyclic.has(name)), cyclic };
}

/** Returns the constants and columns on the canvas that determine a computed number or a derived set, directly or not. */
export function changeableInputs(name: string, { sets, computed, values, columns }: Vocabulary): string[] {
  const names = new Set([name]);
  for (const one of names) {
    const definition = computed?.get(one) ?? sets.get(one)?.derivation;
    if (definition !== undefined) for (const input of inputsOf(definition)) names.add(input);
  }
  const isColumn = (one: string): boolean => columns.get(one)?.some(({ type }) => type === 'number') === true;
  return [...names].filter((one) => computed?.has(one) !== true && (values.has(one) || isColumn(one)));
}
