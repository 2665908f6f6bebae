import { type CardKind, formulasAt, pairsOf } from './card-kind.js';
import { blocking, type CardField, flag, gap, info, oneOf, positive, text } from './fields.js';

const fields: readonly CardField[] = [
  { name: 'sense', content: oneOf('maximize', 'minimize'), missing: blocking('Is it to be maximized or minimized?') },
  { name: 'expression', content: text, missing: blocking('Which figure is it, as a formula?') },
  { name: 'weight', content: positive },
  { name: 'confirmed', content: flag, missing: info('Nobody has confirmed the objective yet') },
  { name: 'description', content: text },
];

export const objective: CardKind = {
  noun: 'objective',
  title: 'Objective',
  role: 'plan',
  description: '`objective`: `sense` (`maximize`, `minimize`), `expression`, `weight`, `confirmed`, `description`.',
  toolDescription:
    'objective: sense (maximize, minimize), expression (3x + 2y), weight (with several objectives), confirmed (true only when the user said so), description',
  fields,
  shown: [['sense'], ['expression'], ['weight', 'weight '], ['confirmed', 'confirmed']],
  formulas: formulasAt(fields, ['expression', 'objective']),
  solved: (data) => pairsOf(data, ['sense', 'expression', 'weight']),
  gaps: ({ weight }, { objectives }, unknownNames) => [
    ...(objectives > 1 && weight === undefined ? [gap('weight', 'With several objectives each needs a weight')] : []),
    ...unknownNames,
  ],
};
