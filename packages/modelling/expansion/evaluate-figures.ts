import { type Expression, type FormulaProblem, type Index, isProblem } from '../formula.js';
import { freeNamesOf } from '../mentions.js';
import { parseFormula } from '../parse-formula.js';
import type { Vocabulary } from '../vocabulary.js';
import { CanvasSpace } from './canvas-space.js';
import { ExpansionRefusal } from './refusal.js';

/**
 * Returns the value of an expression without variables for each member of an index, or undefined if some of its data is
 * unknown. Without an index, there is a single value.
 */
export function evaluateFigures(
  text: string,
  index: Index | FormulaProblem | undefined,
  vocabulary: Vocabulary,
): number[] | undefined {
  const formula = parseFormula(text);
  if ((index !== undefined && isProblem(index)) || isProblem(formula) || formula.relations.length > 0) return undefined;
  return figuresOf(formula.sides[0], index, vocabulary);
}

/** Same as {@link evaluateFigures}, for a parsed expression. */
export function figuresOf(
  expression: Expression,
  index: Index | undefined,
  vocabulary: Vocabulary,
): number[] | undefined {
  const space = new CanvasSpace(vocabulary);
  if (!space.add(freeNamesOf({ sides: [expression], relations: [] }, index))) return undefined;
  try {
    const figures = space.evaluate((evaluator) => evaluator.figures(expression, evaluator.rows(index), 'It'));
    return figures && Array.from(figures);
  } catch (error) {
    if (error instanceof ExpansionRefusal) return undefined;
    throw error;
  }
}
