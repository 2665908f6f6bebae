import { shortened } from '../../modelling/index.js';
import { type CardKind, formulasAt, pairsOf } from './card-kind.js';
import {
  blocking,
  type CardField,
  type Content,
  flag,
  gap,
  info,
  isText,
  name,
  oneOf,
  text,
  valueOf,
} from './fields.js';

const bound: Content = {
  expects: 'a number, or a formula if the variable has an index',
  accepts: (value, data) => Number.isFinite(value) || (isText(value) && isText(data['index'])),
};

const fields: readonly CardField[] = [
  { name: 'name', content: name, missing: blocking('What is its name in formulas?') },
  {
    name: 'domain',
    content: oneOf('continuous', 'integer', 'binary'),
    missing: info('It has no domain, so it is continuous and fractions are allowed'),
  },
  { name: 'index', content: text },
  { name: 'lower', content: bound },
  { name: 'upper', content: bound },
  { name: 'free', content: flag },
  { name: 'confirmed', content: flag },
  {
    name: 'unit',
    content: text,
    missing: info('It has no unit'),
    neededFor: ({ domain }) => domain !== 'binary',
  },
  { name: 'description', content: text },
];

export const variable: CardKind = {
  noun: 'variable',
  title: 'Variable',
  role: 'names',
  description:
    '`variable`: `name`, `index` (`p in products`: a variable for each member), `domain` (`continuous`, `integer`, `binary`; default `continuous`), `lower` (default 0, or unbounded if `free`), `upper` (numbers; with an index also formulas of values and columns), `free`, `unit`, `description`.',
  toolDescription:
    'variable: name (as in expressions), index (p in products: one variable for each member), domain (continuous, integer, binary; default continuous), lower (default 0, or none if free), upper (numbers; with an index also formulas of known values), free, confirmed (it may loosen limits at no cost), unit, description',
  fields,
  summaryFields: [
    ['name', 'called '],
    ['index', 'for '],
    ['domain'],
    ['lower', 'from '],
    ['upper', 'to '],
    ['free', 'free'],
    ['unit', 'in '],
  ],
  formulas: formulasAt(fields, ['lower', 'bound'], ['upper', 'bound']),
  solverInput: (data) => pairsOf(data, ['name', 'index', 'domain', 'lower', 'upper', 'free']),
  gaps: (data, { isDuplicate, strayWarning, looseWarning }, unknownNames) => {
    const variableName = valueOf<string>(fields, data, 'name');
    const isDouble = variableName !== undefined && isDuplicate(variableName);
    const [lower, upper] = ['lower', 'upper'].map((field) => valueOf<number | string>(fields, data, field));
    const isCrossed = typeof lower === 'number' && typeof upper === 'number' && lower > upper;
    return [
      ...unknownNames,
      ...(isDouble ? [gap('name', `Something else is already called ${shortened(variableName)}`)] : []),
      ...(isCrossed ? [gap('lower', 'The lower bound is above the upper bound')] : []),
      ...(strayWarning === undefined ? [] : [gap('name', strayWarning)]),
      ...(looseWarning === undefined ? [] : [gap('name', looseWarning, 'warning')]),
    ];
  },
};
