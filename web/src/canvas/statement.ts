import type { Card } from './cards';
import { NUMBER } from './numbers';
import { textOfValue } from './texts';

/** A card's statement, written as a line in a model. */
export interface Statement {
  /** Word before the formula, such as `maximize`. */
  lead?: string;
  formula: string;
  /** Index of the statement, such as `p in products`. */
  index: string;
  /** Names of the fields that the statement includes. */
  coveredFields: readonly string[];
}

/** Returns a card's statement, or undefined if the card has no formula. */
export function statementOf({ card_type, data }: Card): Statement | undefined {
  const index = textOfValue(data['index']);
  const expression = textOfValue(data['expression']);
  if (card_type === 'variable') return variableStatement(data, index);
  if (expression !== '') {
    const isObjective = card_type === 'objective';
    const lead = isObjective ? textOfValue(data['sense']) : '';
    const coveredFields = ['expression', 'index', ...(isObjective ? ['sense'] : [])];
    return { ...(lead !== '' && { lead }), formula: expression, index, coveredFields };
  }
  if (card_type === 'data') return computedStatement(data, index);
  const product = textOfValue(data['product']);
  if (card_type === 'production_requirement' && product !== '' && data['quantity'] != null) {
    const formula = `${product} ≥ ${formatAmount(data['quantity'])} ${textOfValue(data['unit'])}`.trim();
    return { formula, index: '', coveredFields: ['product', 'quantity', 'unit'] };
  }
  return undefined;
}

/** Returns the definition of a computed number, such as `margin = price[p] - cost[p]`, if it is the only one on its card. */
function computedStatement({ computed }: Card['data'], index: string): Statement | undefined {
  if (typeof computed !== 'object' || computed === null) return undefined;
  const [definition, ...others] = Object.entries(computed);
  if (definition === undefined || others.length > 0) return undefined;
  return { formula: definition.map(textOfValue).join(' = '), index, coveredFields: ['computed', 'index'] };
}

/** Returns the bounds of a variable, such as `0 ≤ make ≤ 40`. The lower bound is 0 by default, unless the variable is free. */
function variableStatement(data: Card['data'], index: string): Statement | undefined {
  const name = textOfValue(data['name']);
  if (name === '') return undefined;
  const coveredFields = ['name', 'index', 'lower', 'upper', 'free'];
  if (data['domain'] === 'binary') return { formula: `${name} ∈ {0, 1}`, index, coveredFields: ['name', 'index'] };
  const range: unknown = data['zero_or_between'];
  if (Array.isArray(range) && range.length === 2) {
    const [from, to] = range.map((end) => (end === null ? undefined : formatAmount(end)));
    const inRange = to === undefined ? `${name} ≥ ${from}` : `${from} ≤ ${name} ≤ ${to}`;
    return { formula: `${name} = 0 or ${inRange}`, index, coveredFields: ['name', 'index', 'free', 'zero_or_between'] };
  }
  const lower = data['lower'] ?? (data['free'] === true ? undefined : 0);
  const upper = data['upper'] ?? undefined;
  const [from, to] = [formatAmount(lower), formatAmount(upper)];
  const formula =
    lower === undefined
      ? upper === undefined
        ? `${name} free`
        : `${name} ≤ ${to}`
      : upper === undefined
        ? `${name} ≥ ${from}`
        : `${from} ≤ ${name} ≤ ${to}`;
  return { formula, index, coveredFields };
}

const formatAmount = (value: unknown): string =>
  typeof value === 'number' ? NUMBER.format(value) : textOfValue(value);
