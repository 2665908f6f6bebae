import { type CardKind, formulasAt, pairsOf } from './card-kind.js';
import { blocking, type CardField, type Content, flag, gap, info, oneOf, positive, text, valueOf } from './fields.js';

const priority: Content = {
  expects: 'a whole number from 1, which is the most important',
  accepts: (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 1,
};
const tolerance: Content = {
  expects: 'a number from 0',
  accepts: (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
};

const fields: readonly CardField[] = [
  { name: 'sense', content: oneOf('maximize', 'minimize'), missing: blocking('Should it be maximized or minimized?') },
  { name: 'expression', content: text, missing: blocking('What is the formula of the objective?') },
  { name: 'weight', content: positive },
  { name: 'priority', content: priority },
  { name: 'tolerance', content: tolerance },
  { name: 'tolerance_percent', content: tolerance },
  { name: 'confirmed', content: flag, missing: info('The objective is not confirmed yet') },
  { name: 'description', content: text },
];

const SAME_PRIORITY = 'If there are several objectives with the same priority, each needs a weight';
const NO_LATER = 'Its tolerance has no effect, because no other objective has a less important priority';

export const objective: CardKind = {
  noun: 'objective',
  title: 'Objective',
  role: 'plan',
  description:
    '`objective`: `sense` (`maximize`, `minimize`), `expression`, `weight`, `priority` (a whole number; 1 is the most important; all objectives have one, or none), `tolerance` (amount by which less important objectives may make it worse) or `tolerance_percent` (the same in percent of its best value), `confirmed`, `description`.',
  toolDescription:
    'objective: sense (maximize, minimize), expression (3x + 2y), weight (if there are several objectives, or several with the same priority), priority (1 is the most important; give all objectives one to optimize them one after the other), tolerance or tolerance_percent (how much less important objectives may make it worse), confirmed (true only if the user said so), description',
  fields,
  summaryFields: [
    ['sense'],
    ['expression'],
    ['weight', 'weight '],
    ['priority', 'priority '],
    ['tolerance', 'may lose '],
    ['tolerance_percent', 'may lose ', (value) => `${String(value)} %`],
    ['confirmed', 'confirmed'],
  ],
  formulas: formulasAt(fields, ['expression', 'objective']),
  solverInput: (data) => pairsOf(data, ['sense', 'expression', 'weight', 'priority', 'tolerance', 'tolerance_percent']),
  gaps: (data, { priorities }, unknownNames) => {
    const own = valueOf<number>(fields, data, 'priority');
    const isRanked = priorities.some((one) => one !== undefined);
    const hasLater = own !== undefined && priorities.some((one) => one !== undefined && one > own);
    const equals = priorities.filter((one) => one === own).length;
    const [isTolerant, isTolerantInPercent] = ['tolerance', 'tolerance_percent'].map((field) => data[field] != null);
    return [
      ...(isRanked && own === undefined && data['priority'] == null
        ? [gap('priority', 'Which priority does it have? The other objectives have one, and 1 is the most important')]
        : []),
      ...(equals > 1 && data['weight'] === undefined && (own !== undefined || !isRanked)
        ? [gap('weight', isRanked ? SAME_PRIORITY : 'If there are several objectives, each needs a weight')]
        : []),
      ...(isTolerant && isTolerantInPercent
        ? [gap('tolerance', 'It has a tolerance as an amount and in percent: remove one of them')]
        : []),
      ...((isTolerant || isTolerantInPercent) && !hasLater
        ? [gap(isTolerant ? 'tolerance' : 'tolerance_percent', NO_LATER, 'warning')]
        : []),
      ...unknownNames,
    ];
  },
};
