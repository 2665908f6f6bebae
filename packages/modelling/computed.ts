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

/** Returns the names of the direct inputs of a computed number: constants, columns and sets. */
export const inputsOf = ({ expression, index }: Computed): string[] =>
  freeNamesOf(expression && { sides: [expression], relations: [] }, index);

/**
 * Sorts names of computed numbers so that each number comes after its inputs. Numbers that depend on themselves are returned
 * separately.
 *
 * @param names names to sort. Their inputs are added
 */
export function computationOrder(
  names: Iterable<string>,
  definitions: ReadonlyMap<string, Computed>,
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

/** Returns the constants and columns on the canvas that determine a computed number, also through other computed numbers. */
export function changeableInputs(name: string, { computed, values, columns }: Vocabulary): string[] {
  const names = new Set([name]);
  for (const one of names) {
    const definition = computed?.get(one);
    if (definition !== undefined) for (const input of inputsOf(definition)) names.add(input);
  }
  const isColumn = (one: string): boolean => columns.get(one)?.some(({ type }) => type === 'number') === true;
  return [...names].filter((one) => computed?.has(one) !== true && (values.has(one) || isColumn(one)));
}
