import { isProblem } from '../../modelling/formula.js';
import { mentionsOf } from '../../modelling/mentions.js';
import { nearestNames } from '../../modelling/nearest-names.js';
import { parseFormula } from '../../modelling/parse-formula.js';
import { namesOfIndex } from '../../modelling/vocabulary.js';
import { fieldOf } from '../../projects/canvas/card-shapes.js';
import { readIndex } from '../../projects/canvas/expressions.js';
import { formulaIn } from '../../projects/canvas/requirement.js';
import type { Question } from '../ask-user-question.js';
import { ask, referTo } from './question-parts.js';
import { quote } from './quote.js';
import type { Sketch, SketchCard } from './sketch.js';

/** A variable that has limits alone and is spelled like a variable of the model. */
export interface StrayVariable {
  card: SketchCard;
  name: string;
  /** Name that was probably meant. */
  meant: string;
}

/** Variables that are probably misspelled names. A variable with a domain was declared on purpose. */
export function strayVariables(sketch: Sketch): StrayVariable[] {
  const variables = sketch.of('variable').flatMap((card) => {
    const name = fieldOf<string>(card, 'name');
    return name === undefined ? [] : [{ card, name }];
  });
  const names = new Set(variables.map(({ name }) => name));
  const used = new Set(sketch.withFormulas().flatMap((card) => variablesOfModel(card, names)));
  return variables.flatMap(({ card, name }) => {
    const { domain, lower, upper } = card.data;
    const isLimited = upper !== undefined || (lower !== undefined && lower !== 0);
    const [meant] = used.has(name) || domain !== undefined || !isLimited ? [] : nearestNames(name, used, 1);
    return meant === undefined ? [] : [{ card, name, meant }];
  });
}

/** The variables of an objective, or of a relation between several. A relation of one variable is its limit. */
function variablesOfModel(card: SketchCard, names: ReadonlySet<string>): string[] {
  const formula = parseFormula(formulaIn(card)?.expression ?? '');
  const mentions = isProblem(formula) ? [] : mentionsOf(formula, undefined).filter((name) => names.has(name));
  return card.card_type === 'objective' || mentions.length > 1 ? mentions : [];
}

export const describeStray = ({ name, meant }: StrayVariable): string =>
  `No objective and no other variable depends on ${quote(name, 60)}. Did you mean ${quote(meant, 60)}?`;

/** Asks for the variable that a misspelled name means. */
export function askForStray(sketch: Sketch): Question | undefined {
  const [stray] = strayVariables(sketch);
  if (stray === undefined) return undefined;
  const { card, name, meant } = stray;
  const [lower, upper] = [fieldOf<number | string>(card, 'lower'), fieldOf<number | string>(card, 'upper')];
  const index = fieldOf<string>(card, 'index');
  const over = index === undefined ? undefined : readIndex(index);
  const keys = over === undefined || isProblem(over) ? '' : `[${namesOfIndex(over).join(', ')}]`;
  const tail = index === undefined ? '' : ` for ${index}`;
  const limits = [
    ...(lower === undefined ? [] : [`${meant}${keys} >= ${lower}${tail}`]),
    ...(upper === undefined ? [] : [`${meant}${keys} <= ${upper}${tail}`]),
  ];
  return ask(undefined, 'Names', describeStray(stray), [
    [`It is ${meant}`, [`remove ${referTo(card, sketch)}`, ...limits].join('; ')],
    [`${name} is another variable`, `${name}${keys} continuous${tail}`],
  ]);
}
