import { shortened } from '../../modelling/index.js';
import { MODEL_LIMITS } from '../../solver/index.js';
import { type CardKind, type Data, formulasAt, pairsOf } from './card-kind.js';
import type { Gap } from '../card.js';
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

/** Range of a variable that may also be 0. Without an upper end, the upper bound of the variable applies. */
export type ZeroOrBetween = readonly [lower: number | string, upper: number | string | null];

/** Formats a range, such as `20 to 200`. */
export const describeRange = (range: unknown): string =>
  !Array.isArray(range) ? String(range) : range[1] === null ? `at least ${range[0]}` : range.join(' to ');

const isAmount = (value: unknown): boolean => Number.isFinite(value) || isText(value);
const zeroOrBetween: Content = {
  expects: 'a list of the smallest and the largest amount apart from 0, as numbers or formulas',
  accepts: (value) =>
    Array.isArray(value) && value.length === 2 && isAmount(value[0]) && (value[1] === null || isAmount(value[1])),
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
  { name: 'zero_or_between', content: zeroOrBetween },
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
    '`variable`: `name`, `index` (`p in products`: a variable for each member), `domain` (`continuous`, `integer`, `binary`; default `continuous`), `lower` (default 0, or unbounded if `free`), `upper` (numbers; with an index also formulas of values and columns), `free`, `zero_or_between` (the variable is 0 or in a range, in addition to its bounds: `[20, 200]`, numbers or formulas of values and columns, as in `["lot[p]", "most[p]"]`; `[20, null]` if `upper` is the upper end), `unit`, `description`.',
  toolDescription:
    'variable: name (as in expressions), index (p in products: one variable for each member), domain (continuous, integer, binary; default continuous), lower (default 0, or none if free), upper (numbers; with an index also formulas of known values), free, zero_or_between (0 or in a range: [20, 200], numbers or formulas; [20, null] if upper is the upper end), confirmed (it may loosen limits at no cost), unit, description',
  fields,
  summaryFields: [
    ['name', 'called '],
    ['index', 'for '],
    ['domain'],
    ['lower', 'from '],
    ['upper', 'to '],
    ['free', 'free'],
    ['zero_or_between', '0 or ', describeRange],
    ['unit', 'in '],
  ],
  formulas: formulasAt(fields, ['lower', 'bound'], ['upper', 'bound'], ['zero_or_between', 'range']),
  solverInput: (data) => pairsOf(data, ['name', 'index', 'domain', 'lower', 'upper', 'free', 'zero_or_between']),
  gaps: (data, { isDuplicate, strayWarning, looseWarning }, unknownNames) => {
    const variableName = valueOf<string>(fields, data, 'name');
    const isDouble = variableName !== undefined && isDuplicate(variableName);
    const [lower, upper] = ['lower', 'upper'].map((field) => valueOf<number | string>(fields, data, field));
    const isCrossed = typeof lower === 'number' && typeof upper === 'number' && lower > upper;
    return [
      ...unknownNames,
      ...(isDouble ? [gap('name', `Something else is already called ${shortened(variableName)}`)] : []),
      ...(isCrossed ? [gap('lower', 'The lower bound is above the upper bound')] : []),
      ...gapsOfRange(data),
      ...(strayWarning === undefined ? [] : [gap('name', strayWarning)]),
      ...(looseWarning === undefined ? [] : [gap('name', looseWarning, 'warning')]),
    ];
  },
};

/** Returns the gaps of a range that cannot be used, or that contradicts the bounds. Formulas are checked by a solve. */
function gapsOfRange(data: Data): Gap[] {
  const range = valueOf<ZeroOrBetween>(fields, data, 'zero_or_between');
  if (range === undefined) return [];
  const [from, end] = range;
  const [lower, upper] = ['lower', 'upper'].map((field) => valueOf<number | string>(fields, data, field));
  const to = end ?? upper;
  const problem = (message: string): Gap[] => [gap('zero_or_between', message)];
  if (data['domain'] === 'binary')
    return problem('A yes-or-no variable is 0 or 1: remove the range or change the domain');
  if (to === undefined)
    return [gap('upper', `It is 0 or at least ${shortened(String(from))}, so it needs an upper bound`)];
  if (isBelow(from, 0)) return problem('The smallest amount apart from 0 must not be negative');
  if (isBelow(to, from)) return problem(`The largest amount ${to} is below the smallest amount ${from}`);
  if (isBelow(MODEL_LIMITS.rangeEnd, to))
    return problem(
      `The largest amount must be at most ${MODEL_LIMITS.rangeEnd.toLocaleString('en')}: use a larger unit`,
    );
  if (isBelow(0, lower)) return problem(`It can be 0, but its lower bound is ${lower}: remove one of them`);
  if (isBelow(upper, from)) return problem(`Only 0 is left, because its upper bound ${upper} is below ${from}`);
  return [];
}

const isBelow = (one: number | string | undefined, other: number | string | undefined): boolean =>
  typeof one === 'number' && typeof other === 'number' && one < other;
