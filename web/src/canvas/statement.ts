import type { Card } from './cards';
import { NUMBER } from './numbers';
import { textOfValue } from './texts';

/** What a card says, as one line of a model. */
export interface Statement {
  /** A word before the formula: `maximize`. */
  lead?: string;
  formula: string;
  /** What it is repeated for: `p in products`. */
  index: string;
  /** Fields that it tells. */
  tells: readonly string[];
}

/** The formula that stands for a card; undefined where it has none. */
export function statementOf({ card_type, data }: Card): Statement | undefined {
  const index = textOfValue(data['index']);
  const expression = textOfValue(data['expression']);
  if (card_type === 'variable') return variable(data, index);
  if (expression !== '') {
    const isObjective = card_type === 'objective';
    const lead = isObjective ? textOfValue(data['sense']) : '';
    const tells = ['expression', 'index', ...(isObjective ? ['sense'] : [])];
    return { ...(lead !== '' && { lead }), formula: expression, index, tells };
  }
  const product = textOfValue(data['product']);
  if (card_type === 'production_requirement' && product !== '' && data['quantity'] != null) {
    const formula = `${product} ≥ ${amount(data['quantity'])} ${textOfValue(data['unit'])}`.trim();
    return { formula, index: '', tells: ['product', 'quantity', 'unit'] };
  }
  return undefined;
}

/** `0 ≤ make ≤ 40`: without a lower bound a variable begins at 0, unless it is free. */
function variable(data: Card['data'], index: string): Statement | undefined {
  const name = textOfValue(data['name']);
  if (name === '') return undefined;
  const tells = ['name', 'index', 'lower', 'upper', 'free'];
  if (data['domain'] === 'binary') return { formula: `${name} ∈ {0, 1}`, index, tells: ['name', 'index'] };
  const lower = data['lower'] ?? (data['free'] === true ? undefined : 0);
  const upper = data['upper'] ?? undefined;
  const [from, to] = [amount(lower), amount(upper)];
  const formula =
    lower === undefined
      ? upper === undefined
        ? `${name} free`
        : `${name} ≤ ${to}`
      : upper === undefined
        ? `${name} ≥ ${from}`
        : `${from} ≤ ${name} ≤ ${to}`;
  return { formula, index, tells };
}

const amount = (value: unknown): string => (typeof value === 'number' ? NUMBER.format(value) : textOfValue(value));
