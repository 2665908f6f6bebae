import { LRUCache } from 'lru-cache';
import { type Formula, type FormulaProblem, isProblem, namesIn } from '../../modelling/formula.js';
import { MAX_FORMULA_LENGTH, parseFormula } from '../../modelling/parse-formula.js';
import { linearize, rowsOf } from '../../modelling/linear.js';

/** What an expression of a card says by itself. */
interface Expression {
  /** Why its text is no formula. */
  problem: string | undefined;
  /** The names in it, each once, in the order of their first place. */
  names: readonly string[];
  /** What was found out last about its use as a model. */
  judged?: { use: Use; figures: readonly (number | undefined)[]; problem: string | undefined };
}

/** An objective is a figure, a constraint a relation. */
type Use = 'objective' | 'constraint';

/** More than the cards of a canvas, so that a change of one card reads its formula only. */
const MAX_KEPT = 1_000;
/** By their texts. The formulas themselves take much more memory and are not kept. */
const kept = new LRUCache<string, Expression>({ max: MAX_KEPT });

/** The names in the formula that a text is; none where it is no formula. */
export const namesInText = (text: string): readonly string[] => read(text).expression.names;

/**
 * What keeps a text from being solved as an objective or a constraint, in a sentence without a full stop; undefined for
 * nothing. Unknown names count as variables.
 *
 * @param values the figures that names stand for
 */
export function problemOfText(text: string, use: Use, values: ReadonlyMap<string, number>): string | undefined {
  const { formula, expression } = read(text);
  const { judged, names, problem } = expression;
  if (problem !== undefined) return problem;
  if (judged?.use === use && names.every((name, index) => values.get(name) === judged.figures[index])) {
    return judged.problem;
  }
  const found = problemOfUse(formula ?? parseFormula(text), use, values);
  expression.judged = { use, figures: names.map((name) => values.get(name)), problem: found };
  return found;
}

/** What a text says, and the formula where it had to be read for that. */
function read(text: string): { expression: Expression; formula?: Formula | FormulaProblem } {
  const known = kept.get(text);
  if (known !== undefined) return { expression: known };
  const formula = parseFormula(text);
  const expression = isProblem(formula)
    ? { problem: formula.problem, names: [] }
    : { problem: undefined, names: namesIn(formula) };
  // What is too long is told from its length.
  if (text.length <= MAX_FORMULA_LENGTH) kept.set(text, expression);
  return { expression, formula };
}

function problemOfUse(formula: Formula | FormulaProblem, use: Use, values: ReadonlyMap<string, number>) {
  if (isProblem(formula)) return formula.problem;
  if (use === 'constraint') return problemIn(rowsOf(formula, values));
  if (formula.relations.length > 0) return 'An objective is a figure: it has no <=, >= or = in it';
  return problemIn(linearize(formula.sides[0], values));
}

const problemIn = (read: object): string | undefined => (isProblem(read) ? read.problem : undefined);
