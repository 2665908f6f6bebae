import { fieldOf } from '../canvas/index.js';
import { isProblem, namesIn, parseFormula } from '../modelling/index.js';
import { quote } from './quote.js';
import type { Sketch } from './sketch.js';
import type { StatementOf } from './statement.js';

/** Adds a goal as a soft equation. Returns a reason if its subject is not on the canvas. */
export function applyGoal(
  { label, subject, target, index, penalty }: StatementOf<'goal'>,
  sketch: Sketch,
  cause: string,
): string | undefined {
  const formula = parseFormula(subject);
  const isFormula = !isProblem(formula) && formula.relations.length === 0;
  const isKnown = isFormula && sketch.areDefined(namesIn(formula));
  const rated = isKnown ? undefined : (sketch.find('kpi', subject) ?? sketch.find('objective', subject));
  const expression = rated === undefined ? subject : fieldOf<string>(rated, 'expression');
  if (rated !== undefined && expression === undefined) return `${quote(rated.label, 60)} has no formula yet`;
  if (rated === undefined && (!isFormula || (label === undefined && !isKnown)))
    return `${quote(subject, 60)} is neither a formula nor the name of a KPI: write it as in \`hours: 2 chairs + 4 tables close to 400\``;
  const free = rated === undefined ? 'Goal' : `Goal for ${rated.label}`;
  const isFree = sketch.find('constraint', free) === undefined;
  const name = label ?? (rated !== undefined && isFree ? free : sketch.freeLabel('constraint', 'Goal'));
  const data = {
    expression: `${expression} = ${target}`,
    index: index ?? null,
    classification: 'soft',
    penalty: penalty ?? null,
  };
  const same = sketch
    .of('constraint')
    .find((card) => card.data['expression'] === data.expression && card.data['index'] === index);
  sketch.put('constraint', same !== undefined && label === undefined ? same.label : name, data, cause);
  return undefined;
}
