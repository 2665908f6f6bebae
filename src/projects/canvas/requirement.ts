import type { Card } from './card.entity.js';
import { fieldOf } from './card-shapes.js';
import { type IndexedFormula, relationIn } from './expressions.js';

type Content = Pick<Card, 'card_type' | 'data'>;

/** What a requirement asks of every plan, and the field that says so. */
export interface Requirement extends IndexedFormula {
  field: 'expression' | 'description' | 'product';
}

/**
 * The constraint that a production requirement is: its `expression`, else its `description` where that is a relation by
 * itself, else at least the `quantity` of a `product` that is a variable. Undefined for one that is words alone, and for
 * cards of other types.
 *
 * @param variables names of the variables without an index
 */
export function requirementOf(card: Content, variables: Pick<ReadonlySet<string>, 'has'>): Requirement | undefined {
  const written = writtenIn(card);
  if (written !== undefined || !isRequirement(card) || card.data['expression'] != null) return written;
  const quantity = fieldOf<number>(card, 'quantity');
  const product = fieldOf<string>(card, 'product')?.trim() ?? '';
  return quantity === undefined || !variables.has(product)
    ? undefined
    : { field: 'product', expression: `${product} >= ${quantity}` };
}

/** Whether a requirement says that there are none: a quantity of 0, of nothing. */
export const asksForNothing = ({ data }: Content): boolean =>
  data['quantity'] === 0 && data['product'] == null && data['expression'] == null;

/** The formula that is written into a card; of a requirement in either field. */
export function formulaIn(card: Content): IndexedFormula | undefined {
  const { expression, index } = writtenIn(card) ?? {
    expression: fieldOf<string>(card, 'expression'),
    ...indexOf(card),
  };
  return expression === undefined ? undefined : { expression, ...(index !== undefined && { index }) };
}

/** The names of the variables without an index among cards. */
export const plainVariables = (cards: readonly Content[]): ReadonlySet<string> =>
  new Set(
    cards.flatMap((card) =>
      card.card_type === 'variable' && card.data['index'] == null ? (fieldOf<string>(card, 'name') ?? []) : [],
    ),
  );

const isRequirement = ({ card_type }: Content): boolean => card_type === 'production_requirement';

function writtenIn(card: Content): Requirement | undefined {
  if (!isRequirement(card)) return undefined;
  const expression = fieldOf<string>(card, 'expression');
  if (expression !== undefined) return { field: 'expression', expression, ...indexOf(card) };
  // An expression that is no text is told to be none.
  const relation = card.data['expression'] == null ? relationIn(fieldOf<string>(card, 'description') ?? '') : undefined;
  return relation && { field: 'description', ...relation };
}

function indexOf(card: Content): Pick<IndexedFormula, 'index'> {
  const index = fieldOf<string>(card, 'index');
  return index === undefined ? {} : { index };
}
