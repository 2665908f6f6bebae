import { isProblem, listNames, mentionsOf, parseFormula } from '../modelling/index.js';
import type { CardContent } from './card.js';
import { fieldOf } from './card-shapes.js';
import { isEased } from './loose-variables.js';
import { formulaIn } from './requirement.js';

type Content = Pick<CardContent, 'card_type' | 'data'>;

/**
 * Returns, for constraints under a condition, a message about variables that have no upper bound. Such a constraint can only be
 * solved with bounds. Variables in other constraints are not reported, because a bound may follow from those.
 */
export function unboundedConditions<Of extends Content>(cards: readonly Of[]): ReadonlyMap<Of, string> {
  const messages = new Map<Of, string>();
  const relations = cards.flatMap((card) => {
    const isRelation = card.card_type === 'constraint' || card.card_type === 'production_requirement';
    return isRelation ? [{ card, text: formulaIn(card)?.expression ?? '' }] : [];
  });
  const conditional = relations.flatMap(({ card, text }) => {
    const formula = CONDITION.test(text) ? parseFormula(text) : undefined;
    return formula === undefined || isProblem(formula) || formula.when === undefined ? [] : [{ card, text, formula }];
  });
  if (conditional.length === 0) return messages;
  const unbounded = new Set(cards.filter(isUnbounded).flatMap((card) => fieldOf<string>(card, 'name') ?? []));
  const texts = new Set(conditional.map(({ text }) => text));
  for (const { text } of relations)
    if (!texts.has(text)) for (const [name] of text.matchAll(NAME)) unbounded.delete(name);
  for (const { card, text, formula } of conditional) {
    const names = mentionsOf({ sides: formula.sides, relations: [] }, undefined);
    const missing = names.filter((name) => unbounded.has(name) && !isEased(text, name, 1));
    if (missing.length > 0)
      messages.set(card, `A constraint under a condition needs an upper bound of ${listNames(missing)}`);
  }
  return messages;
}

/** Matches formulas that may have a condition. */
const CONDITION = /\bthen\b/;
const NAME = /[\p{L}_][\p{L}\p{M}\p{N}_]*/gu;

const isUnbounded = ({ card_type, data }: Content): boolean =>
  card_type === 'variable' && data['upper'] == null && data['zero_or_between'] == null && data['domain'] !== 'binary';
