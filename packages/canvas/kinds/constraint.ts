import { alternativesIn, isProblem, mayHaveCondition, parseFormula } from '../../modelling/index.js';
import { type CardKind, formulasAt, pairsOf } from './card-kind.js';
import { blocking, type CardField, type Content, gap, isText, oneOf, positive, text, valueOf } from './fields.js';

const penalty: Content = {
  expects: 'a number above 0, or a formula if the constraint has an index',
  accepts: (value, data) =>
    positive.accepts(value, data) || (isText(value) && isText(data['index']) && !(Number(value) <= 0)),
};

const fields: readonly CardField[] = [
  { name: 'expression', content: text, missing: blocking('What is the formula of the constraint?') },
  { name: 'index', content: text },
  {
    name: 'classification',
    content: oneOf('hard', 'soft'),
    missing: blocking('Must it hold (hard), or may a plan break it at a price (soft)?'),
  },
  {
    name: 'penalty',
    content: penalty,
    missing: blocking('What does breaking it cost, per unit?'),
    neededFor: ({ classification }) => classification === 'soft',
  },
  { name: 'description', content: text },
];

export const ALTERNATIVES_OF_SOFT =
  'A soft constraint cannot have `or` in its condition: write a constraint for each alternative, or make it hard';

function hasAlternatives(text: string): boolean {
  const formula = mayHaveCondition(text) ? parseFormula(text) : undefined;
  return formula !== undefined && !isProblem(formula) && alternativesIn(formula) > 1;
}

export const constraint: CardKind = {
  noun: 'constraint',
  title: 'Constraint',
  role: 'plan',
  description:
    '`constraint`: `expression` (`x + y <= 4`, or under a condition on binary variables, `if open = 0 then x <= 0`), `index`, `classification` (`hard`, `soft`), `penalty` (per unit; with an index also a formula of values and columns, such as `late_cost[o]`), `description`.',
  toolDescription:
    'constraint: expression (x + y <= 4; under a condition on binary variables: if open[w] = 0 then ship[w] <= 0), index (one constraint for each member), classification (hard, soft), penalty (per unit, for soft constraints; a number, or a formula of known values over the index: late_cost[o]), description',
  fields,
  summaryFields: [['expression'], ['index', 'for '], ['classification'], ['penalty', 'penalty '], ['description']],
  formulas: formulasAt(fields, ['expression', 'constraint'], ['penalty', 'penalty']),
  gaps: (data, _, unknownNames) => [
    ...unknownNames,
    ...(data['classification'] === 'soft' && hasAlternatives(valueOf<string>(fields, data, 'expression') ?? '')
      ? [gap('classification', ALTERNATIVES_OF_SOFT)]
      : []),
  ],
  solverInput: (data) => pairsOf(data, ['expression', 'index', 'classification', 'penalty']),
};
