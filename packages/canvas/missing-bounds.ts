import { LRUCache } from 'lru-cache';
import {
  type Expression,
  freeNamesOf,
  isProblem,
  listNames,
  mayHaveCondition,
  mentionsOf,
  parseFormula,
  partsOf,
} from '../modelling/index.js';
import type { CardContent, Gap } from './card.js';
import { fieldOf } from './card-shapes.js';
import { CARD_KINDS } from './kinds/card-kinds.js';
import { gap } from './kinds/fields.js';
import { isEased } from './loose-variables.js';
import { formulaIn } from './requirement.js';

type Content = Pick<CardContent, 'card_type' | 'data'>;

/** Part of a formula that needs finite bounds of its variables. */
interface Need {
  /** Names in the part. */
  names: readonly string[];
  /** Names in each of the other factors of a product. Absent for a constraint under a condition. */
  factors?: readonly (readonly string[])[];
}

/** Maximum number of formulas whose needs are cached. */
const MAX_FORMULAS = 1_500;
const needsByFormula = new LRUCache<string, readonly Need[]>({ max: MAX_FORMULAS });

/**
 * Returns the gaps of formulas with variables that have no upper bound, although their constraint only holds under a condition, or
 * although they are multiplied with a yes-or-no variable. Excludes variables in other constraints, because their bounds may follow
 * from these constraints.
 */
export function missingBounds<Of extends Content>(cards: readonly Of[]): ReadonlyMap<Of, Gap> {
  const gaps = new Map<Of, Gap>();
  const namesOf = (isMeant: (card: Of) => boolean): Set<string> =>
    new Set(cards.filter(isMeant).flatMap((card) => fieldOf<string>(card, 'name') ?? []));
  const unbounded = namesOf(isUnbounded);
  if (unbounded.size === 0) return gaps;
  const decisions = namesOf(({ card_type, data }) => card_type === 'variable' && data['domain'] === 'binary');
  const amounts = namesOf(({ card_type, data }) => card_type === 'variable' && data['domain'] !== 'binary');
  const isDecided = (names: readonly string[]): boolean =>
    names.some((name) => decisions.has(name)) && !names.some((name) => amounts.has(name));
  const formulas = cards.flatMap((card) =>
    CARD_KINDS[card.card_type].role === 'plan' ? [{ card, text: formulaIn(card)?.expression ?? '' }] : [],
  );
  const needing = formulas.flatMap(({ card, text }) => {
    const needs = needsOf(text).filter(({ factors }) => factors?.some(isDecided) !== false);
    return needs.length === 0 ? [] : [{ card, text, needs }];
  });
  if (needing.length === 0) return gaps;
  const texts = new Set(needing.map(({ text }) => text));
  for (const { card, text } of formulas)
    if (!texts.has(text) && card.card_type !== 'objective')
      for (const [name] of text.matchAll(NAME)) unbounded.delete(name);
  for (const { card, text, needs } of needing)
    for (const { names, factors } of needs) {
      const missing = names.filter((name) => unbounded.has(name) && (factors !== undefined || !isEased(text, name, 1)));
      if (missing.length === 0 || gaps.has(card)) continue;
      const field = card.data['expression'] == null ? 'description' : 'expression';
      const part = factors === undefined ? 'A constraint under a condition' : 'A product with a yes-or-no variable';
      gaps.set(card, gap(field, `${part} needs an upper bound of ${listNames(missing)}`));
    }
  return gaps;
}

const NAME = /[\p{L}_][\p{L}\p{M}\p{N}_]*/gu;

const isUnbounded = ({ card_type, data }: Content): boolean =>
  card_type === 'variable' && data['upper'] == null && data['zero_or_between'] == null && data['domain'] !== 'binary';

function needsOf(text: string): readonly Need[] {
  if (!mayHaveCondition(text) && !MAY_MULTIPLY.test(text)) return [];
  const needs = needsByFormula.get(text) ?? readNeeds(text);
  needsByFormula.set(text, needs);
  return needs;
}

/** Matches formulas that may multiply names. A product without a sign starts with a number or ends in a parenthesis. */
const MAY_MULTIPLY = /[*·×)]/;

function readNeeds(text: string): Need[] {
  const formula = parseFormula(text);
  if (isProblem(formula)) return [];
  const isConditional = formula.when !== undefined;
  return [
    ...(isConditional ? [{ names: mentionsOf({ sides: formula.sides, relations: [] }, undefined) }] : []),
    ...formula.sides.flatMap(productsIn),
  ];
}

/** Returns the needs of the products in an expression. */
function productsIn(expression: Expression): Need[] {
  const inner = partsOf(expression).flatMap(productsIn);
  if (expression.kind !== 'product') return inner;
  const factors = expression.factors.map(({ of }) => freeNamesOf({ sides: [of], relations: [] }, undefined));
  return [
    ...inner,
    ...factors.flatMap((names, at) => (names.length === 0 ? [] : [{ names, factors: factors.toSpliced(at, 1) }])),
  ];
}
