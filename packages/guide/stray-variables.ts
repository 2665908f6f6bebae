import { isProblem, namesOfIndex } from '../modelling/index.js';
import {
  describeRange,
  describeStray,
  fieldOf,
  idleVariables,
  readIndex,
  strayVariables,
  type ZeroOrBetween,
} from '../canvas/index.js';
import type { Question } from '../conversation/index.js';
import { ask, referTo } from './question-parts.js';
import { quote } from './quote.js';
import type { Sketch, SketchCard } from './sketch.js';

/** Asks which variable a misspelled name refers to. */
export function askForStray(sketch: Sketch): Question | undefined {
  const [stray] = strayVariables(sketch.cards);
  if (stray === undefined) return undefined;
  const { card, name, suggestion } = stray;
  const [lower, upper] = [fieldOf<number | string>(card, 'lower'), fieldOf<number | string>(card, 'upper')];
  const range = fieldOf<ZeroOrBetween>(card, 'zero_or_between');
  const index = fieldOf<string>(card, 'index');
  const over = index === undefined ? undefined : readIndex(index);
  const keys = over === undefined || isProblem(over) ? '' : `[${namesOfIndex(over).join(', ')}]`;
  const tail = index === undefined ? '' : ` for ${index}`;
  const limits = [
    ...(lower === undefined ? [] : [`${suggestion}${keys} >= ${lower}${tail}`]),
    ...(upper === undefined ? [] : [`${suggestion}${keys} <= ${upper}${tail}`]),
    ...(range === undefined ? [] : [`${suggestion}${keys} is 0 or ${describeRange(range)}${tail}`]),
  ];
  return ask(undefined, 'Names', describeStray(stray), [
    [`It is ${suggestion}`, [`remove ${referTo(card, sketch)}`, ...limits].join('; ')],
    [`${name} is another variable`, `${name}${keys} continuous${tail}`],
  ]);
}

/** Formats warnings about limits that do not affect any plan. @param isMeant returns whether to warn about a card */
export const describeIdle = (sketch: Sketch, isMeant: (card: SketchCard) => boolean): string[] =>
  idleVariables(sketch.cards)
    .filter(({ card }) => isMeant(card))
    .map(
      ({ card, name }) =>
        `No objective and no other variable depends on ${quote(name, 60)}, so its limit has no effect. If you mean another variable, write ${quote(`remove ${referTo(card, sketch)}`)} and write the limit with the right name.`,
    );
