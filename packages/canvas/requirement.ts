import type { CardContent } from './card.js';
import { fieldOf } from './card-shapes.js';
import type { IndexedFormula } from './expressions.js';
import type { Variables } from './kinds/card-kind.js';
import { relationOf, type Requirement, requirementIn } from './kinds/production-requirement.js';

type Content = Pick<CardContent, 'card_type' | 'data'>;

/** Returns the constraint of a production requirement. Returns undefined for other cards and for plain-text requirements. */
export const requirementOf = (card: Content, variables: Variables): Requirement | undefined =>
  isRequirement(card) ? requirementIn(card.data, variables) : undefined;

/** Returns the formula on a card. A requirement may have its formula in either of two fields. */
export function formulaIn(card: Content): IndexedFormula | undefined {
  const written = isRequirement(card) ? relationOf(card.data) : undefined;
  const expression = written?.expression ?? fieldOf<string>(card, 'expression');
  const index = written === undefined ? fieldOf<string>(card, 'index') : written.index;
  return expression === undefined ? undefined : { expression, ...(index !== undefined && { index }) };
}

/** Returns the names of the variables without an index. */
export const plainVariables = (cards: readonly Content[]): ReadonlySet<string> =>
  new Set(
    cards.flatMap((card) =>
      card.card_type === 'variable' && card.data['index'] == null ? (fieldOf<string>(card, 'name') ?? []) : [],
    ),
  );

const isRequirement = ({ card_type }: Content): boolean => card_type === 'production_requirement';
