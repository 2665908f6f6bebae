import { type CardKind, formulasAt, pairsOf } from './card-kind.js';
import { blocking, type CardField, flag, gap, info, oneOf, positive, text } from './fields.js';

const fields: readonly CardField[] = [
  { name: 'sense', content: oneOf('maximize', 'minimize'), missing: blocking('Should it be maximized or minimized?') },
  { name: 'expression', content: text, missing: blocking('What is the formula of the objective?') },
  { name: 'weight', content: positive },
  { name: 'confirmed', content: flag, missing: info('The objective is not confirmed yet') },
  { name: 'description', content: text },
];

export const objective: CardKind = {
  noun: 'objective',
  title: 'Objective',
  role: 'plan',
  description: '`objective`: `sense` (`maximize`, `minimize`), `expression`, `weight`, `confirmed`, `description`.',
  toolDescription:
    'objective: sense (maximize, minimize), expression (3x + 2y), weight (if there are several objectives), confirmed (true only if the user said so), description',
  fields,
  summaryFields: [['sense'], ['expression'], ['weight', 'weight '], ['confirmed', 'confirmed']],
  formulas: formulasAt(fields, ['expression', 'objective']),
  solverInput: (data) => pairsOf(data, ['sense', 'expression', 'weight']),
  gaps: ({ weight }, { objectives }, unknownNames) => [
    ...(objectives > 1 && weight === undefined
      ? [gap('weight', 'If there are several objectives, each needs a weight')]
      : []),
    ...unknownNames,
  ],
};
