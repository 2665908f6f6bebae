import { isProblem, listNames, mayHaveCondition, mentionsOf, parseFormula } from '../modelling/index.js';
import type { CardContent, Gap } from './card.js';
import { fieldOf } from './card-shapes.js';
import { gap } from './kinds/fields.js';
import { isEased } from './loose-variables.js';
import { formulaIn } from './requirement.js';

type Content = Pick<CardContent, 'card_type' | 'data'>;

/**
 * Returns the gaps of constraints under a condition whose variables have no upper bound. Such constraints can only be solved with
 * bounds. Excludes variables in other constraints, because their bounds may follow from these constraints.
 */
export function unboundedConditions<Of extends Content>(cards: readonly Of[]): ReadonlyMap<Of, Gap> {
  const gaps = new Map<Of, Gap>();
  const relations = cards.flatMap((card) => {
    const isRelation = card.card_type === 'constraint' || card.card_type === 'production_requirement';
    return isRelation ? [{ card, text: formulaIn(card)?.expression ?? '' }] : [];
  });
  const conditional = relations.flatMap(({ card, text }) => {
    const formula = mayHaveCondition(text) ? parseFormula(text) : undefined;
    return formula === undefined || isProblem(formula) || formula.when === undefined ? [] : [{ card, text, formula }];
  });
  if (conditional.length === 0) return gaps;
  const unbounded = new Set(cards.filter(isUnbounded).flatMap((card) => fieldOf<string>(card, 'name') ?? []));
  const texts = new Set(conditional.map(({ text }) => text));
  for (const { text } of relations)
    if (!texts.has(text)) for (const [name] of text.matchAll(NAME)) unbounded.delete(name);
  for (const { card, text, formula } of conditional) {
    const names = mentionsOf({ sides: formula.sides, relations: [] }, undefined);
    const missing = names.filter((name) => unbounded.has(name) && !isEased(text, name, 1));
    if (missing.length === 0) continue;
    const field = card.data['expression'] == null ? 'description' : 'expression';
    gaps.set(card, gap(field, `A constraint under a condition needs an upper bound of ${listNames(missing)}`));
  }
  return gaps;
}

const NAME = /[\p{L}_][\p{L}\p{M}\p{N}_]*/gu;

const isUnbounded = ({ card_type, data }: Content): boolean =>
  card_type === 'variable' && data['upper'] == null && data['zero_or_between'] == null && data['domain'] !== 'binary';
