import { type CardKind, formulasAt } from './card-kind.js';
import { blocking, type CardField, gap, info, number, text } from './fields.js';

const fields: readonly CardField[] = [
  { name: 'description', content: text, missing: blocking('What does it measure?') },
  { name: 'expression', content: text, missing: info('It has no formula yet') },
  { name: 'unit', content: text },
  { name: 'target', content: number },
];
const LIMIT = gap(
  'description',
  'A KPI does not limit the plan: write a constraint instead, such as `chairs >= 10`',
  'warning',
);

export const kpi: CardKind = {
  noun: 'KPI',
  title: 'KPI',
  role: 'rating',
  description: '`kpi`: `description`, `expression`, `unit`, `target`.',
  toolDescription: 'kpi: description, expression, unit, target',
  fields,
  summaryFields: [['description'], ['expression'], ['target', 'target '], ['unit', 'in ']],
  emptyListLabel: 'Objective value',
  formulas: formulasAt(fields, ['expression', 'kpi']),
  solverInput: () => [],
  wordingGaps: (_, __, isLimit) => (isLimit ? [LIMIT] : []),
};
