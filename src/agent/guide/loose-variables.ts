import { type Expression, type Formula, isProblem, partsOf, type Relation } from '../../modelling/formula.js';
import { someOf } from '../../modelling/names.js';
import { parseFormula } from '../../modelling/parse-formula.js';
import { fieldOf } from '../../projects/canvas/card-shapes.js';
import { formulaIn } from '../../projects/canvas/requirement.js';
import { quote } from './quote.js';
import type { Sketch } from './sketch.js';

const MAX_SHOWN = 5;

/** A variable without an upper bound that can be as large as a limit needs, at no cost. */
export interface LooseVariable {
  name: string;
  /** Labels of the limits that it loosens. */
  limits: string[];
}

/** Variables that no objective has and that only loosen limits: these limits have no effect. */
export function looseVariables(sketch: Sketch): LooseVariable[] {
  const objectives = sketch.of('objective');
  if (objectives.length === 0) return [];
  const formulas = sketch.withFormulas().flatMap((card) => {
    const formula = parseFormula(formulaIn(card)?.expression ?? '');
    return isProblem(formula) ? [] : [{ card, formula }];
  });
  return sketch.of('variable').flatMap((variable) => {
    const name = fieldOf<string>(variable, 'name');
    const isBounded = variable.data['upper'] != null || variable.data['domain'] === 'binary';
    if (name === undefined || isBounded) return [];
    const using = formulas.filter(({ formula }) => formula.sides.some((side) => signsOf(side, name).size > 0));
    const isLoose = using.length > 0 && using.every(({ formula }) => loosens(formula, name));
    return isLoose ? [{ name, limits: using.map(({ card }) => card.label) }] : [];
  });
}

/** Warns of a variable whose limits have no effect. */
export const describeLoose = ({ name, limits }: LooseVariable): string =>
  `${quote(name, 60)} occurs only where it loosens a limit (${someOf(
    limits.map((label) => quote(label, 60)),
    MAX_SHOWN,
  )}) and costs nothing, so the plan can make it as large as it needs and the limit has no effect. If it is a figure, write ${quote(`remove ${name}`)} and give its numbers.`;

/** Whether more of a variable makes every relation of a formula easier to meet. False for a formula without relations. */
function loosens({ sides, relations }: Formula, name: string): boolean {
  return (
    relations.length > 0 &&
    relations.every((relation, at) => {
      const effects = [...signsOf(sides[at]!, name), ...Array.from(signsOf(sides[at + 1]!, name), (sign) => -sign)];
      return effects.every((effect) => effect === EASIER[relation]);
    })
  );
}

/** Sign of a change of the left side that makes the relation easier to meet. */
const EASIER: Record<Relation, number> = { '<=': -1, '>=': 1, '=': NaN };

/** Returns the signs of a variable's terms. Figures count as positive. */
function signsOf(expression: Expression, name: string): Set<number> {
  if (expression.kind === 'name' || expression.kind === 'member') return new Set(expression.name === name ? [1] : []);
  if (expression.kind === 'sum')
    return new Set(
      expression.parts.flatMap(({ negative, of }) =>
        Array.from(signsOf(of, name), (sign) => (negative ? -sign : sign)),
      ),
    );
  return new Set(partsOf(expression).flatMap((part) => [...signsOf(part, name)]));
}
